"""How probable each category of a COW problem is, whatever lambda and k are. Beyond the paper.

The fit compares pairs of the 1-2-5 grid, but evidence may have any size. So lambda and k run over cells that cover
every whole number up to C, and no cell crosses a limit of the categories. In each cell the likelihood of cow.py is
integrated over the weight of the oracle (uniform) and over what it says on shorter windows (wrong or declined,
Jeffreys' prior).

The noise is not known either, least if few problems determine it or most of them are solved without context: several
are tried (`noise_candidates`), and each counts by how probable it makes all answers of the task.

Nothing is known about lambda and k before, so three priors are mixed: pairs of the grid; log-uniform; within one unit
of a limit. In each of them every category is as probable as the others. How much each prior counts is learned from all
problems of the task (EM, as if PRIOR problems had been seen before).

Windows of a problem share one placement of the evidence. So the share of them that hold it is not the mean over all
placements: one copy near an end of the context is in few windows of any length, and looks like evidence of many units.
The likelihood is integrated over PLACEMENTS of them too. What these leave out, and what windows share beyond the
placement, is a factor on all counts, by ALONE and SHARED. Both were chosen on simulated tasks; docs/dolce.md has the
shares that are right on others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories
from scrollwork.analysis.windows.fit.candidates import COW, INFINITE, PIG, one_two_five
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints, log_mean
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.cow import DECLINED, RIGHT, WRONG, Counts, Fitted, Options, equal_samples, fit


def normal_deviates(nodes: int) -> tuple[Floats, Floats]:
    """Return so many values of a standard normal distribution, and their probabilities (Gauss-Hermite)."""
    values, chances = np.polynomial.hermite_e.hermegauss(nodes)
    return values, chances / chances.sum()


ALONE = 0.95  # windows that one counts for if it shares nothing with others
SHARED = 0.03  # correlation of windows that see the whole context, beyond their placement
PLACEMENTS = 6
_ENDS = np.array([0.0, 0.02, 0.06, 0.14, 0.28, 0.5, 1.0])  # as fractions of half the context
EDGES, EDGE_CHANCES = (_ENDS[1:] + _ENDS[:-1]) / 2, np.diff(_ENDS)
DEVIATES, DEVIATE_CHANCES = normal_deviates(PLACEMENTS)
PRIOR = 3.0  # problems that the priors count for before the task is seen
PER_DECADE = 8  # values of lambda and of k, besides those of the grid and at the limits
PIG_PER_DECADE = ((600, 12), (5_000, 4))  # (most units, values); beyond these, tables take seconds, at last minutes
EACH = 10  # up to which every whole number is a value
TURNS = 200  # of EM over the priors' weights, which is cheap
PRIORS = 3
NODES, NODE_WEIGHTS = ((np.polynomial.legendre.leggauss(4)[0] + 1) / 2, np.polynomial.legendre.leggauss(4)[1] / 2)
WEIGHTS = (np.arange(12) + 0.5) / 12
WRONGS = np.sin(np.pi / 2 * np.arange(12) / 11) ** 2  # equal steps of Jeffreys' prior, 0 and 1 among them
LEAST = 1e-12  # the least component of a noise
STARTS = (0.02, 0.2, 0.5)  # probability of being right, of the noise before EM's first pass
RIGHTS, SHARES_WRONG = (0.01, 0.05, 0.15, 0.35, 0.65), (0.02, 0.1, 0.25, 0.5, 0.75, 0.9)  # of those not right
APART = 0.005
BEHIND = 15.0  # log-likelihood below the best at which a noise is no longer tried


@dataclass(frozen=True)
class Cells:
    """Cells of (lambda, k). complexity, redundancy: [cells], ascending in lambda except an infinite one.

    prior: of the cells within each category, by each of the three priors, [PRIORS, categories, cells]; sums to 1 over
    categories and cells if a prior has a cell.
    """

    complexity: Ints
    redundancy: Ints
    prior: Floats


@lru_cache(maxsize=1024)
def cells(units: int, limits: Thresholds, scenario: str = COW) -> Cells:
    """Return the cells of contexts of so many units, lambda k <= C; (0, 0) is first, and in PIG (INFINITE, 1) last."""
    graded = next((each for most, each in PIG_PER_DECADE if units <= most), 0)
    values, width = _values(units, limits, graded if scenario == PIG else PER_DECADE)
    span, copies = (grid.ravel() for grid in np.meshgrid(values, values, indexing="ij"))
    sizes = np.outer(width, width).ravel()
    across, down = (grid.ravel() for grid in np.meshgrid(width, width, indexing="ij"))  # of lambda, of k
    kept = (span * copies <= units) & ((copies < units) | (units == 1))
    span, copies, sizes, across, down = span[kept], copies[kept], sizes[kept], across[kept], down[kept]
    fitted = np.isin(span, [*one_two_five(units)]) & np.isin(copies, [*one_two_five(units)]) | (span == units)
    low, high = limits.low, limits.high
    near = np.where(np.isin(span, [low, low + 1, high, high + 1]), down, 0.0)
    near = near + np.where(np.isin(copies, [low, low + 1]) & (span <= low), across, 0.0)
    last = np.ones(int(scenario == PIG), dtype=np.int64)
    span, copies = np.concatenate([[0], span, INFINITE * last]), np.concatenate([[0], copies, last])
    of = categories(span, copies, limits)
    each = ((1, fitted, last), (1, sizes, last), (0, near, 0 * last))
    weights = np.array([np.concatenate(one) for one in (([first], own, end) for first, own, end in each)])
    prior = np.where(of == np.arange(len(CATEGORIES))[:, None], weights[:, None], 0.0)
    within = prior.sum(axis=2, keepdims=True)
    prior = np.divide(prior, within, out=np.zeros_like(prior), where=within > 0)
    present = np.maximum((within > 0).sum(axis=1, keepdims=True), 1)
    return Cells(span, copies, prior / present)


def _values(units: int, limits: Thresholds, each: int) -> tuple[Ints, Floats]:
    """Return values of lambda or k, 1 to C, and the log-uniform measure of the whole numbers that each stands for."""
    steady = np.round(10 ** (np.arange(each * 7) / max(each, 1))).astype(np.int64)
    border = [one + more for one in (limits.low, limits.high) for more in (0, 1)]
    found = np.unique(
        np.array([*range(1, EACH + 1), *steady.tolist(), *one_two_five(units), *border, units], dtype=np.int64)
    )
    found = found[found <= units]
    ends = np.maximum(np.sqrt(found[:-1] * found[1:].astype(np.float64)), found[:-1] + 0.5)
    ends = np.where(np.isin(found[:-1], [limits.low, limits.high]), found[:-1] + 0.5, ends)
    ends = np.log(np.concatenate([[0.5], ends, [units + 0.5]]))
    return found, np.diff(ends)


def placement_variance(lengths: Ints, span: Ints, copies: Ints, units: int, covered: Floats) -> Floats:
    """Return the variance over placements of the share of a length's windows that hold evidence: [cells], at least 0.

    covered: probability that one window does. A window misses if no span begins in its l - lambda + 1 places; two
    windows, if none begins in the places of either. The probability that so many places have none is (1 - places /
    X)^k, with X by `covered`.
    """
    own = (lengths - span + 1.0).clip(1.0)
    windows = units - lengths + 1.0
    missed = 1.0 - covered
    with np.errstate(divide="ignore"):
        part = (1.0 - missed ** (1.0 / np.maximum(copies, 1))) / own  # 1 / X
    near = np.minimum(own, windows)
    found = (1.0 - near / windows) ** 2 * (1.0 - 2.0 * own * part).clip(0.0) ** copies
    for node, weight in zip(NODES, NODE_WEIGHTS, strict=True):
        apart = near * node
        density = 2.0 * (windows - apart) / windows**2 * near * weight
        found = found + density * (1.0 - (own + apart) * part).clip(0.0) ** copies
    return np.asarray((found - missed**2).clip(0.0))


def effective_windows(
    units: int, lengths: Ints, windows: Floats, alone: float = ALONE, shared: float = SHARED
) -> Floats:
    """Return for how many independent windows each window of a length counts."""
    return np.asarray(alone / (1.0 + shared * (windows - 1.0).clip(0.0) * lengths / units))


def shares_held(length: int, known: Cells, units: int, covered: Floats) -> Floats:
    """Return the share of windows of a length that hold evidence, by placement: [PLACEMENTS, cells].

    covered: its mean over all placements. For one copy the placement is its distance from the nearer end (EDGES); for
    several it is how far the share deviates (DEVIATES, of a normal distribution with the variance
    `placement_variance`).
    """
    span, copies = known.complexity[: len(covered)], known.redundancy[: len(covered)]
    windows, own = units - length + 1.0, (length - span + 1.0).clip(1.0)
    first = np.floor(EDGES[:, None] * (units - span) / 2.0)
    single = np.minimum(np.minimum(first + 1.0, own), windows) / windows
    common = np.sqrt(placement_variance(np.array(length), span, copies, units, covered))
    several = (covered + DEVIATES[:, None] * common).clip(0.0, 1.0)
    return np.where(span == 0, 1.0, np.where(copies == 1, single, several))


def posterior(pieces: Sequence[Counts], fitted: Fitted, limits: Thresholds, options: Options | None = None) -> Floats:
    """Return the probabilities of categories of all problems of a task: [problems, categories], rows sum to 1.

    fitted: to the same pieces, by the same options. All categories are equally probable if all answers have one outcome
    and the noise may explain it alone.
    """
    options = options or Options()
    problems = len(fitted.complexity)
    totals = np.sum([piece.counts.sum(axis=(0, 1)) for piece in pieces], axis=0)
    if np.count_nonzero(totals) == 1 and (options.noise is None or fitted.noise[totals > 0] >= 1.0 - LEAST):
        return np.full((problems, len(CATEGORIES)), 1.0 / len(CATEGORIES))
    tried = noise_candidates(pieces, fitted, options)
    if options.equal_lengths:
        pieces = [replace(piece, counts=equal_samples(piece.counts)) for piece in pieces]
    models = [_Model(noise) for noise in tried]
    found = np.zeros((len(models), problems, PRIORS, len(CATEGORIES)))
    tops = np.zeros(len(models))
    left = np.arange(len(models))
    logs = np.zeros(len(models))
    rows = (row for piece in pieces for row in zip(piece.units.tolist(), piece.lengths, piece.counts, strict=True))
    for number, (units, lengths, counts) in enumerate(rows, 1):
        known = cells(units, limits)
        seen = seen_of(units, lengths, counts, known)
        for one in left.tolist():
            likelihoods, top = models[one].likelihoods(seen, known)
            found[one, number - 1] = known.prior @ likelihoods
            tops[one] += top
        if number == problems or number & (number - 1) == 0:  # after 1, 2, 4, ... problems
            logs = tops[left] + log_evidence(found[left, :number])
            near = logs > logs.max() - BEHIND
            left, logs = left[near], logs[near]
    odds = np.exp(logs - logs.max())
    return np.asarray(np.einsum("n,nic->ic", odds / odds.sum(), mixed_posterior(found[left])))


def log_evidence(evidence: Floats) -> Floats:
    """Return the log of the probability of the answers of all problems: [noises]. evidence: [noises, problems, priors,
    categories], each as for `mixed_posterior`.

    Weights of priors and categories are learned from all problems: else a noise by which every category explains every
    answer would be taken for the better one.
    """
    within = evidence.reshape(*evidence.shape[:2], -1)
    return np.array([np.log(one @ own).sum() for one, own in zip(within, learn_weights(within), strict=True)])


def noise_candidates(pieces: Sequence[Counts], fitted: Fitted, options: Options) -> Floats:
    """Return what the noise of a task may be, [noises, outcomes]: the fitted one first, alone if it is held.

    Others are where the same EM ends from noises that are seldom right (from all answers, its first noise, it stays
    with one that takes the place of the oracle if most answers are right), and values over the whole simplex, which
    matter if few problems determine it.
    """
    if options.noise is not None:
        return fitted.noise[None]
    ratio = np.sum([piece.counts.sum(axis=(0, 1)) for piece in pieces], axis=0)[[WRONG, DECLINED]] + 0.5
    ratio /= ratio.sum()
    ended = [fit(pieces, replace(options, start=(one, *(1 - one) * ratio))).noise for one in STARTS]
    spread_out = [(right, (1 - right) * wrong, (1 - right) * (1 - wrong)) for right in RIGHTS for wrong in SHARES_WRONG]
    found = [fitted.noise]
    for one in np.array([*ended, *spread_out]):
        if min(np.abs(one - other).max() for other in found) > APART:
            found.append(one)
    return np.array(found)


def mixed_posterior(evidence: Floats) -> Floats:
    """Return probabilities of categories, [..., problems, categories]; priors' weights are learned from all problems.

    evidence: probability of a problem's answers within each prior and category, up to a factor, [..., problems, priors,
    categories], of which each leading index is a case of its own.
    """
    weights = learn_weights(evidence.sum(axis=-1))
    found = np.einsum("...ipc,...p->...ic", evidence, weights)
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def learn_weights(probabilities: Floats) -> Floats:
    """Return the weights of what may have produced the answers, by EM: [..., components].

    probabilities: [..., problems, components]. Each leading index is a case of its own: thirty of four problems are
    learned at once in a fifteenth of the time.
    """
    problems, components = probabilities.shape[-2:]
    weights = np.full((*probabilities.shape[:-2], 1, components), 1.0 / components)
    shares = np.empty_like(probabilities)
    for _ in range(TURNS):
        np.multiply(probabilities, weights, out=shares)
        shares /= shares.sum(axis=-1, keepdims=True)
        weights = (PRIOR / components + shares.sum(axis=-2, keepdims=True)) / (PRIOR + problems)
    return weights[..., 0, :]


@dataclass(frozen=True)
class ProblemCounts:
    """A problem's answers. lengths: ascending. counts: [lengths, outcomes], as many as independent windows would be.

    held: `shares_held` of each length, of the cells with lambda up to it.
    """

    lengths: Ints
    counts: Floats
    held: Sequence[Floats]


def seen_of(units: int, lengths: Ints, counts: Floats, known: Cells) -> ProblemCounts:
    """Prepare a problem's answers. counts: [lengths, outcomes], zeros where a length was not observed."""
    observed = np.flatnonzero(counts.sum(axis=1) > 0)
    order = observed[np.argsort(lengths[observed], kind="stable")]
    lengths, counts = lengths[order], counts[order]
    held = []
    for length in lengths.tolist():
        last = int(np.searchsorted(known.complexity, length, side="right"))
        covered = cover_probability(length, known.complexity[:last], known.redundancy[:last], units)
        held.append(shares_held(length, known, units, covered))
    return ProblemCounts(lengths, counts * effective_windows(units, lengths, counts.sum(axis=1))[:, None], held)


class _Model:
    """The mixture of cow.py with one noise."""

    def __init__(self, noise: Floats) -> None:
        noises = np.maximum(noise, LEAST) * (1.0 - WEIGHTS[:, None])
        self._right, self._declined = noises[:, [RIGHT]], noises[:, [DECLINED]]
        self._wrong = np.log(noises[:, [WRONG]])
        weight = WEIGHTS[:, None]
        shorter = (
            np.log(self._right),
            np.log(weight * WRONGS + noises[:, [WRONG]]),
            np.log(weight * (1.0 - WRONGS) + self._declined),
        )
        self._shorter = np.stack(np.broadcast_arrays(*shorter))  # [outcomes, weights, wrongs]

    def likelihoods(self, seen: ProblemCounts, known: Cells) -> tuple[Floats, float]:
        """Return the likelihood of each cell relative to the likeliest one, [cells], and the log of that one's."""
        fewer = np.searchsorted(seen.lengths, known.complexity)  # number of lengths with l < lambda
        total = np.repeat(self._short(seen.counts)[:, None, fewer], PLACEMENTS, axis=1)  # [weights, placements, cells]
        weight = WEIGHTS[:, None, None]
        for held, of in zip(seen.held, seen.counts.tolist(), strict=True):
            part = total[..., : held.shape[1]]
            part += of[WRONG] * self._wrong[..., None]
            if of[RIGHT]:
                part += of[RIGHT] * np.log(weight * held + self._right[..., None])
            if of[DECLINED]:
                part += of[DECLINED] * np.log(weight * (1.0 - held) + self._declined[..., None])
        top = float(total.max())
        chances = np.where(known.redundancy == 1, EDGE_CHANCES[:, None], DEVIATE_CHANCES[:, None])
        return np.asarray((np.exp(total - top) * chances).sum(axis=1).mean(axis=0)), top

    def _short(self, counts: Floats) -> Floats:
        """Return log-probabilities of the answers at the shortest 0, 1, .. all lengths: [weights, lengths + 1].

        The oracle is wrong or declines there.
        """
        pooled = np.concatenate([np.zeros((1, 3)), np.cumsum(counts, axis=0)])
        found = np.einsum("lx,xwh->lwh", pooled, self._shorter)  # [lengths + 1, weights, wrongs]
        return np.asarray(log_mean(found).T)
