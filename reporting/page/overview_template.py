"""The template of the page of statistics, in the dress of the report (style.py)."""

from scrollwork.reporting.charts.figure import STYLE as FIGURES
from scrollwork.reporting.page.style import STYLE

OWN = """
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: .8rem; margin: 1rem 0; }
.panels > div, .whole { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .5rem .4rem .3rem;
  min-width: 0; break-inside: avoid; }
.panels svg { display: block; width: 100%; height: auto; }
.whole { overflow-x: auto; }
.whole svg { display: block; width: 100%; min-width: 54rem; height: auto; }
.key b.here { border-bottom: 2px solid var(--ink); }
.key b.published { color: var(--warn); border-bottom: 2px dashed var(--warn); }
#paper thead th { white-space: normal; }
tr.all > * { font-weight: 600; }
.numbers .first > * { border-top: 1px solid var(--line); }
.numbers tbody tr:not(.first) > * { border-top: 0; padding-block: .12rem; }
.numbers td:nth-child(2), .numbers th:nth-child(2) { text-align: left; }
"""

TEMPLATE = (
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{{ title }}: statistics</title>
<style>"""
    + STYLE
    + FIGURES
    + OWN
    + """</style>
</head>
<body>
<header>
<p class="eyebrow">scrollwork · statistics of what is built</p>
<h1>{{ title }}</h1>
<dl class="facts">
<div><dt>Tasks and splits</dt><dd>{{ lines | length | count }}</dd></div>
<div><dt>Inputs</dt><dd>{{ inputs | count }}</dd></div>
{% for label, value in run.items() %}<div><dt>{{ label }}</dt><dd>{{ value | fact }}</dd></div>{% endfor %}
</dl>
<nav aria-label="Sections of this page">
<a href="#paper">Beside the paper</a>
{% if sizes %}<a href="#data-sets">Data sets</a>
{% endif %}<a href="#inputs">Inputs</a>
<a href="#outputs">Outputs</a>
<a href="#spread">Spread</a>
<a href="#numbers">All numbers</a>
<a href="#reading">How to read this</a>
</nav>
</header>
<main>
{% if not lines %}<p>Nothing was built.</p>{% endif %}

<section id="paper" aria-labelledby="paper-title">
<h2 id="paper-title">Beside the paper</h2>
{% if paper.title %}<p>Published values: {% if paper.url.startswith("https://") %}<a href="{{ paper.url }}" rel="noreferrer">{{ paper.short }}</a>{% else %}{{ paper.short }}{% endif %}, table 1. Δ is the difference from them, in percent of them.</p>{% endif %}
<div class="scroll" tabindex="0" role="region" aria-label="Sizes beside the paper">
<table>
<caption>Sizes and mean lengths in white-space words, beside what the paper prints</caption>
<thead><tr><th scope="col">task</th><th scope="col">split</th><th scope="col">inputs</th><th scope="col">paper</th><th scope="col">documents</th><th scope="col">references</th>
<th scope="col">words in</th><th scope="col">paper</th><th scope="col">Δ</th><th scope="col">words out</th><th scope="col">paper</th><th scope="col">Δ</th>
<th scope="col">spread, median</th><th scope="col">in document</th></tr></thead>
<tbody>
{% for one in lines %}
<tr><th scope="row">{{ one.task }}</th><td>{{ one.split }}</td><td>{{ one.facts.examples | count }}</td>
<td>{% if one.paper.get("examples") %}{{ one.paper.examples | count }}{% elif one.paper.get("rows") %}{{ one.paper.rows | count }} rows{% else %}–{% endif %}</td>
<td>{{ one.facts.documents | count }}</td><td>{{ one.facts.references | count }}</td>
{% for measure in ("words_in", "words_out") %}
<td>{{ one.counted[measure].mean | words }}</td><td>{{ one.paper.get(measure) | printed }}</td><td>{{ one.difference(measure) | percent }}</td>
{% endfor %}
<td>{{ one.counted.spread.median | words }}</td>
<td>{% if one.counted.in_document is defined and one.counted.in_document.count %}{{ (100 * one.counted.in_document.mean) | number }} %{% else %}–{% endif %}</td></tr>
{% for all in totals if loop_ends(one, all) %}
<tr class="all"><th scope="row">{{ all.task }}</th><td>all splits</td><td>{% if all.means %}{{ all.inputs | count }}{% else %}–{% endif %}</td><td></td><td></td><td></td>
{% for measure in ("words_in", "words_out") %}
<td>{{ all.means.get(measure) | words }}</td><td>{{ all.paper.get(measure) | printed }}</td><td>{{ all.difference(measure) | percent }}</td>
{% endfor %}
<td></td><td></td></tr>
{% endfor %}
{% endfor %}
</tbody>
</table>
</div>
</section>

{% if sizes %}
<section id="data-sets" aria-labelledby="data-sets-title">
<h2 id="data-sets-title">The data sets whole</h2>
<p>Before anything is drawn from them. Lengths: means, {{ counted_by }}. In: the documents as a prompt shows them, with the marks of mentions and highlights. Out: what a model is asked to write; a dash where the files have no such text. Paper: over all splits, so Δ is of all of them only; it does not say by which tokenizer.</p>
<div class="scroll" tabindex="0" role="region" aria-label="The data sets beside the paper">
<table>
<caption>Samples, documents of a sample and lengths, beside what the paper prints</caption>
<thead><tr><th scope="col">task</th><th scope="col">split</th><th scope="col">samples</th><th scope="col">paper</th><th scope="col">documents</th><th scope="col">paper</th>
<th scope="col">in</th><th scope="col">paper</th><th scope="col">Δ</th><th scope="col">out</th><th scope="col">paper</th><th scope="col">Δ</th></tr></thead>
<tbody>
{% for one in sizes %}
<tr{% if one.splits | length > 1 %} class="all"{% endif %}><th scope="row">{{ one.task }}</th><td>{{ one | splits }}</td><td>{{ one.samples | count }}</td><td>{{ one.published.get("samples") | printed }}</td>
<td>{{ one.mean("documents") | words(1) }}</td><td>{{ one.published.get("documents") | words(1) }}</td>
{% for measure in ("tokens_in", "tokens_out") %}
<td>{{ one.mean(measure) | words(1) }}</td><td>{{ one.published.get(measure) | printed }}</td><td>{{ one.difference(measure) | percent }}</td>
{% endfor %}
</tr>
{% endfor %}
</tbody>
</table>
</div>
</section>
{% endif %}

{% for name, measure, what in (("inputs", "words_in", "input"), ("outputs", "words_out", "output")) %}
<section id="{{ name }}" aria-labelledby="{{ name }}-title">
<h2 id="{{ name }}-title">Words of an {{ what }}</h2>
<p class="key small soft">White-space words on one logarithmic axis; each panel fills its own height. <b class="here">Full stroke</b>: mean here. <b class="published">Dashed</b>: mean in the paper.</p>
<div class="panels">
{% for panel in panels[measure] %}<div>{{ panel }}</div>
{% endfor %}
</div>
</section>
{% endfor %}

<section id="spread" aria-labelledby="spread-title">
<h2 id="spread-title">Spread</h2>
<p>How far apart what an output says stands in its input: standard deviation of the places where the output’s bigrams first occur, in words, as the SCROLLS paper measures it. Box: quartiles and median; line: 5 % to 95 %; dot: mean; above it the histogram, each filling its own height.</p>
{% if spreads %}<div class="whole" tabindex="0" role="region" aria-label="Spread by task">{{ spreads }}</div>{% else %}<p>No output has two bigrams that are found.</p>{% endif %}
</section>

<section id="numbers" aria-labelledby="numbers-title">
<h2 id="numbers-title">All numbers</h2>
<div class="scroll" tabindex="0" role="region" aria-label="All numbers">
<table class="numbers">
<caption>Every measure of every task: how many values, their mean, least, quantiles (percent) and largest</caption>
<thead><tr><th scope="col">task</th><th scope="col">measure</th><th scope="col">n</th><th scope="col">mean</th><th scope="col">least</th><th scope="col">5</th><th scope="col">25</th><th scope="col">median</th><th scope="col">75</th><th scope="col">95</th><th scope="col">largest</th></tr></thead>
<tbody>
{% for one in lines %}
{% for measure, label in measures.items() if measure in one.counted %}
{% set row = one.counted[measure] %}
<tr{% if loop.first %} class="first"{% endif %}><th scope="row">{{ one.task }}{% if one.split != "test" %}, {{ one.split }}{% endif %}</th><td>{{ label }}</td><td>{{ row.count | count }}</td>
{% for value in (row.mean, row.smallest, row.p5, row.q1, row.median, row.q3, row.p95, row.largest) %}<td>{{ value | words(places.get(measure)) }}</td>{% endfor %}</tr>
{% endfor %}
{% endfor %}
</tbody>
</table>
</div>
</section>

<section id="reading" aria-labelledby="reading-title">
<h2 id="reading-title">How to read this</h2>
<dl class="reading">
<dt>Words in</dt><dd>White-space words of the whole input as a model gets it: instruction, headers, documents and query where the suite has them.</dd>
<dt>Words out</dt><dd>White-space words of a reference; every reference counts as one.</dd>
<dt>Paper</dt><dd>What the paper’s table of data sets prints. SCROLLS prints means over all of its splits and, for training and validation, rows: one a reference.</dd>
<dt>Spread</dt><dd>Of pairs of input and reference whose reference has at least two bigrams that occur in the documents; all others are left out and counted. For natural language inference the hypothesis takes the place of the reference. The question is no part of the input.</dd>
<dt>In document</dt><dd>Question answering: the share of references whose words (lower-case, without punctuation) stand in the documents in one piece.</dd>
</dl>
</section>
</main>
<footer>Made by scrollwork. This file loads nothing and runs no script; it can be kept, mailed and printed as it is.</footer>
</body>
</html>
"""
)
