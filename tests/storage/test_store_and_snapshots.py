"""The store held against its own digests and the snapshots of its home: whatever is changed is named and mended."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from scrollwork.pipeline.snapshots.check import Guard, checked_store, snapshots
from scrollwork.pipeline.snapshots.repair import repair
from scrollwork.storage.answers.digests import row_digest, with_digest
from scrollwork.storage.answers.repair import _can_be
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import attempts, batch_requests, failures, responses, set_aside
from scrollwork.storage.errors import DamagedRows, LostAnswers
from tests.some_slow import one_in
from tests.storage.snapshot_kit import TEXTS, filled, home_beside, old_snapshot, paid, snapshot
from tests.storage.store_kit import answer, attempt, batch, failure, key

NUMBERS = [*range(len(TEXTS)), 100]
KEYS = [key(number) for number in NUMBERS]


@pytest.fixture
def home(tmp_path, place):
    """A home with a snapshot of everything in its store."""
    made = home_beside(tmp_path, place)
    store = filled(place)
    snapshot(made, store, NUMBERS)
    store.close()
    return made


def problems(home):
    return checked_store(home, list(snapshots(home))).problems


def change(home, *statements):
    store = ResponseStore(home.store)

    def work(connection):
        for statement in statements:
            changed = connection.execute(statement)
            assert changed.rowcount > 0

    store.database.write(work)
    store.close()


def held(home):
    """All answers and what they cost, by request key; where they came from left out."""
    store = ResponseStore(home.store)
    found = store.answers(KEYS)
    spent = {model: one.cost_nano_usd for model, one in store.spent().items()}
    store.close()
    return {k: replace(a, origin="asked", latency_s=None) for k, a in found.items()}, spent


def of(table, number=0):
    return sa.update(table).where(table.c.request_key == key(number))


def forge(table, number, **values):
    """A change with the digest of what the row says then."""

    def statement(home):
        store = ResponseStore(home.store)
        find = sa.select(table).where(table.c.request_key == key(number))
        if table is attempts:
            find = find.where(table.c.number == 2)
        row = store.database.read(lambda connection: dict(connection.execute(find).one()._mapping))
        store.close()
        made = of(table, number).values(**values, digest=row_digest(table.name, {**row, **values}))
        return made.where(table.c.number == 2) if table is attempts else made

    return statement


def plain(statement):
    return lambda home: statement


CHANGES = {
    "text": (plain(of(responses).values(text="another answer")), "text"),
    "one character": (plain(of(responses).values(text="an answeR")), "text"),
    "lone surrogate": (plain(of(responses, 1).values(text="lone ? surrogate")), "digest"),
    "finish_reason": (plain(of(responses).values(finish_reason="length")), "finish_reason length (complete there)"),
    "tokens": (plain(of(responses).values(output_tokens=1)), "output_tokens 1 (3 there)"),
    "unknown tokens to 0": (plain(of(responses).values(cached_tokens=0)), "cached_tokens 0 (None there)"),
    "written tokens": (plain(of(responses).values(cache_write_tokens=0)), "cache_write_tokens 0 (2 there)"),
    "cost": (plain(of(responses).values(cost_nano_usd=0)), "cost_nano_usd 0 (1000 there)"),
    "masked": (plain(of(responses).values(masked=True)), "masked True (False there)"),
    "model": (plain(of(responses).values(model="claude")), "model claude (gpt there)"),
    "reported": (plain(of(responses).values(reported_model="x")), "reported_model x (naive-1 there)"),
    "attempts of the answer": (plain(of(responses).values(attempts=1)), "attempts 1 (2 there)"),
    "digest": (plain(of(responses).values(digest="0" * 64)), "digest"),
    "forged text": (forge(responses, 0, text="another answer"), "text"),
    "forged cost": (forge(responses, 0, cost_nano_usd=0), "cost_nano_usd 0 (1000 there)"),
    "forged finish": (forge(responses, 0, finish_reason="length"), "finish_reason length (complete there)"),
    "forged masked": (forge(responses, 0, masked=True), "masked True (False there)"),
    "deleted": (plain(sa.delete(responses).where(responses.c.request_key == key(0))), "is gone"),
    "failure": (plain(of(failures, 100).values(kind="transient")), "its row does not say"),
    "deleted failure": (plain(sa.delete(failures)), "is gone"),
    "attempts": (plain(of(attempts).values(cost_nano_usd=0).where(attempts.c.number == 2)), "its row does not say"),
    "message of an attempt": (plain(of(attempts).values(message="fine")), "its row does not say"),
    "forged attempt": (forge(attempts, 0, cost_nano_usd=0), "no attempt that gave an answer has its cost"),
    "deleted attempts": (
        plain(sa.delete(attempts).where(attempts.c.request_key == key(0))),
        "0 of its 2 attempts are written down",
    ),
}


@pytest.mark.parametrize("name", one_in(2, CHANGES))
def test_changed_store_is_called_whole_or_not_mended(home, name):
    statement, said = CHANGES[name]
    assert problems(home) == ()
    whole = held(home)
    change(home, statement(home))
    number = {"lone surrogate": 1, "failure": 100, "deleted failure": 100}.get(name, 0)
    found = problems(home)
    assert any(said in line and key(number) in line and " of " in line for line in found), found
    done = repair(home)
    assert done.checked.problems == ()
    assert held(home) == whole, "texts, tokens and money are what they were"
    assert repair(home).refilled == 0, "a second repair finds nothing"
    rows = ResponseStore(home.store).database.read(lambda connection: connection.execute(sa.select(set_aside)).all())
    assert bool(rows) == (name not in ("deleted", "deleted failure"))
    assert len(rows) >= len(done.taken_out), "what was there is kept"


def test_changed_answer_is_handed_out_to_be_scored(home):
    for number, values in enumerate([{"text": "x"}, {"cost_nano_usd": 0}, {"finish_reason": "length"}]):
        change(home, of(responses, number).values(**values))
        store = ResponseStore(home.store)
        assert store.states([key(number)]) == {key(number): "answered"}, "it is not asked again"
        with pytest.raises(DamagedRows, match=rf"{key(number)} of 'gpt'.*store check.*store repair"):
            store.answers([key(number)])
        store.close()


def test_older_snapshot_is_held_against_what_it_does_not_hold(tmp_path, place):
    """No digest, no provider, "?" for surrogates: nothing is told of a whole store, and every change is."""
    home = home_beside(tmp_path, place)
    store = filled(place)
    old_snapshot(home, snapshot(home, store, NUMBERS))
    store.close()
    assert problems(home) == ()
    change(home, forge(responses, 0, cost_nano_usd=0)(home), forge(responses, 1, text="else")(home))
    found = problems(home)
    assert [line.split()[1] for line in found if "its snapshot" in line] == sorted([key(0), key(1)])
    change(home, forge(responses, 3, cache_write_tokens=9)(home))
    assert len([line for line in problems(home) if "its snapshot" in line]) == 2, "the snapshot does not hold it"


def test_refilled_row_says_more_than_is_known(tmp_path, place):
    home = home_beside(tmp_path, place)
    store = filled(place)
    old_snapshot(home, snapshot(home, store, NUMBERS))
    store.close()
    change(home, sa.delete(responses), sa.delete(attempts))
    done = repair(home)
    assert (done.refilled, done.checked.problems, done.checked.refilled) == (5, (), 5)
    store = ResponseStore(place)
    found = store.answers(KEYS)
    assert {number: found[key(number)].origin for number in range(5)} == {
        0: "refilled",
        1: "lossy",
        2: "refilled",
        3: "refilled",
        4: "lossy",  # nobody can know what its "?" was
    }
    for number, text in enumerate(TEXTS):
        one = found[key(number)]
        assert one.text == text.replace("\ud800", "?")
        assert (one.latency_s, one.cache_write_tokens, one.reasoning_tokens) == (None, None, None)
        assert (one.cost_nano_usd, one.attempts, one.provider) == (1000 + number, 2, "openai")
    assert store.spent()["gpt"].cost_nano_usd == sum(1000 + number for number in range(5))
    store.close()


def test_snapshot_of_today_loses_a_surrogate_or_a_token(home):
    whole = held(home)
    change(home, sa.delete(responses))
    assert repair(home).refilled == 5
    assert held(home) == whole
    store = ResponseStore(home.store)
    assert {one.origin for one in store.answers(KEYS).values()} == {"refilled"}
    store.close()


def test_newer_snapshot_is_passed_over_for_an_older_one(tmp_path, place):
    """Both hold the answer; the one that holds more fills it."""
    home = home_beside(tmp_path, place)
    store = filled(place)
    old_snapshot(home, snapshot(home, store, NUMBERS))
    snapshot(home, store, [1], name="another")
    store.close()
    change(home, sa.delete(responses))
    repair(home)
    store = ResponseStore(place)
    assert store.answers([key(1)])[key(1)].text == TEXTS[1]
    store.close()


def test_empty_store_beside_snapshots_is_asked_for_everything_again(home, place, tmp_path):
    change(home, sa.delete(responses))
    (line,) = [line for line in problems(home) if "store repair" in line]
    assert "1 snapshots of its home hold 5 answers" in line
    store = ResponseStore(place, Guard(home))
    with pytest.raises(LostAnswers, match=r"1 of the answers wanted.*store repair.*another --home"):
        store.claim([key(0), key(700)], "run", 60)
    with pytest.raises(LostAnswers, match=r"all answers.*store repair"):
        store.claim([key(700)], "run", 60)
    store.close()
    repair(home)
    store = ResponseStore(place, Guard(home))
    assert store.claim([key(0), key(700)], "run", 60) == {key(700)}
    store.close()


def test_half_of_a_store_is_paid_again(home, place):
    change(home, sa.delete(responses).where(responses.c.request_key.in_([key(0), key(1)])))
    assert len([line for line in problems(home) if "is gone" in line]) == 2
    store = ResponseStore(place, Guard(home))
    assert store.claim([key(700)], "run", 60) == {key(700)}
    with pytest.raises(LostAnswers, match="1 of the answers wanted"):
        store.claim([key(0), key(2)], "run", 60)
    store.close()


def test_store_of_a_new_home_or_a_free_model_is_refused(tmp_path, place):
    home = home_beside(tmp_path, place)
    assert problems(home) == (() if place.startswith("postgres") else problems(home))
    store = filled(place)
    store.close()
    assert problems(home) == (), "a store that was moved here"
    store = ResponseStore(place, Guard(home))
    assert store.claim([key(700)], "run", 60) == {key(700)}
    free = answer(800, model="naive:seed=0")
    store.add([free])
    snapshot(home, store, [800], provider="baselines")
    store.close()
    change(home, sa.delete(responses))
    store = ResponseStore(place, Guard(home))
    assert store.claim([key(800)], "run", 60) == {key(800)}, "what costs nothing may be answered again"
    store.close()


def test_failure_that_was_asked_again_is_missed(home, place):
    """The snapshot says failed, the store has the answer: a later run came between."""
    store = ResponseStore(place)
    store.add([answer(100, "now", model="gpt", cost_nano_usd=0)])
    store.close()
    assert problems(home) == ()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_flipped_bit_in_the_file_is_not_found(home, tmp_path):
    """In a text, a key, a name, a digest, of answers and of attempts: told, mended, and nothing lost."""
    path = tmp_path / "home" / "responses.db"
    whole, before = path.read_bytes(), held(home)
    digest = ResponseStore(home.store).database.read(lambda connection: connection.scalar(sa.select(attempts.c.digest)))
    words = (b"lone", b"what?", b"an answer", b"complete", b"naive-1", b"terminal", b"transient", digest.encode())
    places = [whole.index(word) + 2 for word in (*words, key(0).encode(), key(3).encode())]
    for at in places:
        for bit in (0x10, 0x80):  # the second is no UTF-8 any more
            for file in path.parent.glob("responses.db*"):
                file.unlink()
            path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
            assert problems(home), whole[at - 5 : at + 5]
            assert repair(home).checked.problems == ()
            assert held(home) == before


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("size", [0, 50, 5000, 20480, -4096])
def test_torn_file_is_thrown_away_or_not_mended(home, tmp_path, size):
    path = tmp_path / "home" / "responses.db"
    whole = held(home)
    torn = path.read_bytes()[:size]
    path.write_bytes(torn)
    assert problems(home)
    assert path.read_bytes() == torn, "a check changes nothing"
    done = repair(home)
    assert done.checked.problems == ()
    assert held(home)[0] == whole[0]
    if size:
        assert (tmp_path / "home" / "responses.db.damaged-1").read_bytes() == torn


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_answers_that_no_snapshot_holds_are_lost_with_a_damaged_page(tmp_path, place):
    """What can be read of a damaged file is taken over, money too."""
    home = home_beside(tmp_path, place)
    store = ResponseStore(place)
    made = [paid(number, f"{number} " * 500) for number in range(200)]
    store.add([one for one, _ in made], [failure(900)], [one for _, tries in made for one in tries])
    open_batch = batch(1, "submitted", provider_batch_id="batch_x", submitted=1001.0, most_nano_usd=5)
    assert store.claim([key(901), key(902)], "run", 60)
    store.intend(open_batch, [key(901), key(902)], "run")
    store.close()
    path = tmp_path / "home" / "responses.db"
    data = path.read_bytes()
    middle = data.index(b"100 100 100") // 4096 * 4096
    path.write_bytes(data[:middle] + b"\xff" * 4096 + data[middle + 4096 :])
    assert problems(home)
    done = repair(home)
    assert done.saved > 400
    store = ResponseStore(place)
    kept = store.answers([key(number) for number in range(200)])
    assert len(kept) > 100
    assert all(kept[one.request_key] == one for one, _ in made if one.request_key in kept)
    assert store.claim([key(100)], "run", 60), "what is lost may be asked"
    assert store.open_batches() == [open_batch], "a batch that is paid for is forgotten"
    assert store.claim([key(901), key(902)], "run", 60) == set(), "what waits in it is paid twice"
    store.close()


def test_damaged_row_of_a_batch_is_taken_over():
    row = {"batch_id": "b" * 64, "request_key": "k" * 64, "state": "waiting"}
    assert _can_be(batch_requests, row)
    for wrong in ({"state": "waitinf"}, {"batch_id": None}, {"request_key": 5}, {"state": b"waiting"}):
        assert not _can_be(batch_requests, {**row, **wrong})


def test_digest_of_one_row_is_that_of_another():
    """None is not 0, a number no text, and no value runs into its neighbour."""
    one = vars(answer(1, "ab", model="c"))
    digests = {
        row_digest("responses", {**one, **values})
        for values in (
            {},
            {"text": "a", "model": "bc"},
            {"cached_tokens": 0},
            {"input_tokens": None, "cached_tokens": 7},
            {"text": "7"},
            {"cost_nano_usd": 0},
            {"masked": True},
            {"text": "\x1a0000"},
            {"text": "\0"},
            {"text": "\ud800"},
            {"text": "?"},
        )
    }
    assert len(digests) == 11
    assert row_digest("responses", {**one, "latency_s": 9.0, "created": 1.0, "origin": "lossy"}) in digests
    whole = with_digest("attempts", vars(attempt(1)))
    assert row_digest("attempts", {**whole, "started": 1001}) == whole["digest"], "1001 and 1001.0 are one moment"
