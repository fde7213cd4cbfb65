"""The page's template. A Python string, so that it is part of the report stage's source digest."""

from scrollwork.reporting.page.judgement_template import TABLES

CHUNKS = "<!--chunks-->"  # where the page's data go; text from outside is escaped and cannot hold it

TEMPLATE = (
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{{ board.title }}: report</title>
<style>{{ style }}</style>
</head>
"""
    """{% macro model_name(line) %}<bdi>{{ line.model }}</bdi>{% if line.arm != usual_arm %} <small>{{ line.arm }}</small>{% endif %}{% if line.note %} <small>{{ line.note }}</small>{% endif %}{% if line.model in board.decoding %} <small>{{ board.decoding[line.model] }}</small>{% endif %}{% endmacro %}
{% macro rank_cell(rank) %}<td class="average"{% if rank %} data-value="{{ rank.ar }}"{% endif %}>{% if rank %}<b>{{ rank.ar | number(2) }}</b>{% if rank.arsd is not none %}<small>ARSD {{ (100 * rank.arsd) | number }} %</small>{% endif %}{% else %}–<small>not ranked</small>{% endif %}</td>{% endmacro %}
{% macro reference_cells(row) %}
{% if board.ranked %}{{ rank_cell(published_rank(row)) }}{% else %}
<td class="average">{{ row.average | number }}</td>
{% endif %}
{% for column in board.columns %}<td>{% if column.task in row.printed %}<small class="printed">{{ row.printed[column.task] }}</small>{% else %}{{ row.scores.get(column.task) | number }}{% if column.task in row.parts %}<small>{{ row.parts[column.task] | parts }}</small>{% endif %}{% endif %}</td>{% endfor %}
{% endmacro %}
{% macro head() %}
<thead><tr><th scope="col" class="model" data-key="model">model</th>
<th scope="col" class="average" data-key="average">{{ "average rank" if board.ranked else "average" }}</th>
{% for column in board.columns %}
<th scope="col" data-key="{{ column.task }}"><abbr title="{{ column.task }}">{{ column.short }}</abbr><small>{{ (column.metric | reading).short }}</small>{% if column.parts %}<small>{{ column | head_of_parts }}</small>{% endif %}</th>
{% endfor %}
</tr></thead>
{% endmacro %}
{% macro references_body(published, table, caption) %}
<tbody class="published">
{% if caption %}<tr><th class="label" scope="colgroup" colspan="{{ board.columns | length + 2 }}"><span>Published, not computed here: {{ published.short }}, table {{ table }}</span></th></tr>{% endif %}
{% for row in published.table(table) %}
<tr data-label="{{ row.label }}"><th scope="row" class="model">{{ row.label }}{% if row.about %} <small>{{ row.about }}</small>{% endif %}{% if row.apart %} <small class="apart">{{ row.apart }}</small>{% endif %}</th>{{ reference_cells(row) }}</tr>
{% endfor %}
</tbody>
{% endmacro %}
<body>
<header>
<div class="top"><p class="eyebrow">scrollwork · evaluation report</p><button type="button" id="theme">Light or dark</button></div>
<h1>{{ board.title }}</h1>
<dl class="facts">
<div><dt>Models</dt><dd>{% for name in models[:most_named] %}<bdi>{{ name }}</bdi>{{ ", " if not loop.last }}{% else %}none{% endfor %}{% if models | length > most_named %} and {{ models | length - most_named }} more{% endif %}</dd></div>
<div><dt>{{ "Split" if board.sections | length == 1 else "Splits" }}</dt><dd>{% for section in board.sections %}{{ section.split }}{{ ", " if not loop.last }}{% else %}none{% endfor %}</dd></div>
<div><dt>Tasks with a score</dt><dd>{{ scored }} of {{ board.columns | length }}</dd></div>
<div><dt>Inputs answered</dt><dd>{{ answered | count }} of {{ expected | count }}</dd></div>
{% for label, value in run.items() %}<div><dt>{{ label }}</dt><dd>{{ value | fact }}</dd></div>{% endfor %}
</dl>
<nav aria-label="Sections of this page">
{% for section in board.sections %}<a href="#board-{{ loop.index }}">Leaderboard, {{ section.split }}</a>{% endfor %}
{% for split in board.ranks.splits %}<a href="#ranks-{{ loop.index }}">Ranking, {{ split }}</a>{% endfor %}
{% for split in needed %}<a href="#needs-{{ loop.index }}">Retrieval or holistic, {{ split }}</a>{% endfor %}
{% if models | length > 1 %}<a href="#compare">Compare two models</a>{% endif %}
{% if content.groups %}<a href="#explorer">Examples</a>{% endif %}
{% if figures %}<a href="#charts">Charts</a>{% endif %}
{% if usage %}<a href="#usage">Cost and tokens</a>{% endif %}
{% for section in board.sections %}<a href="#tasks-{{ loop.index }}">Tasks, {{ section.split }}</a>{% endfor %}
{% for split, tasks in beyond %}<a href="#beyond-{{ loop.index }}">Beside the scores, {{ split }}</a>{% endfor %}
<a href="#failures">Failures ({{ board.failures | length }})</a>
{% if board.published %}<a href="#published">Published results</a>{% endif %}
<a href="#reading">How to read this</a>
</nav>
</header>
<main>
{% if not board.sections %}
<div class="warning"><strong>Nothing was scored.</strong></div>
{% endif %}
{{ runs }}
{{ needs }}
{% for section in board.sections %}
{% set published = references(section) %}
{% set wanting = incomplete(section) %}
{% set differing = section.differing(board.columns) if published else () %}
<section id="board-{{ loop.index }}" aria-labelledby="board-{{ loop.index }}-title">
<h2 id="board-{{ loop.index }}-title">Leaderboard, split {{ section.split }}</h2>
{% if wanting %}
<div class="warning" role="note"><p><strong>Not complete.</strong> These scores stand on answered inputs only and will move when the rest is answered.</p>
<ul>
{% for model, cells in wanting[:most_told] %}
{% if cells | length > 3 %}
<li><bdi>{{ model }}</bdi>, {{ cells | length }} tasks: <strong>{{ cells | sum(attribute="coverage.answered") | count }} of {{ cells | sum(attribute="coverage.expected") | count }}</strong> answered ({{ cells | sum(attribute="coverage.failed") | count }} failed, {{ cells | sum(attribute="coverage.missing") | count }} missing)</li>
{% else %}
{% for cell in cells %}
<li><bdi>{{ model }}</bdi>, {{ cell.task }}: <strong>{{ cell.coverage.answered | count }} of {{ cell.coverage.expected | count }}</strong> answered ({{ cell.coverage.failed | count }} failed, {{ cell.coverage.missing | count }} missing)</li>
{% endfor %}
{% endif %}
{% endfor %}
{% if wanting | length > most_told %}<li>and {{ wanting | length - most_told }} more models; ⚠ marks their scores</li>{% endif %}
</ul></div>
{% endif %}
{% if not board.ranked %}
{% set whole = section.lines | selectattr("average.value", "ne", none) | list %}
{% if whole %}
<ul class="headline" aria-label="Benchmark averages">
{% for line in whole[:8] %}
<li><span><bdi>{{ line.label }}</bdi></span>
<strong>{{ line.average.value | number }}{% if line.average.spread is not none %} <small>{{ line.average.spread | spread }}</small>{% endif %}</strong>
<span>average of {{ line.cells | length }} tasks, {{ line.inputs[1] | count }} inputs</span>
</li>
{% endfor %}
</ul>
{% endif %}
{% if whole | length < section.lines | length %}
<p class="note"><b>No benchmark average:</b>
{% set without = section.lines | selectattr("average.value", "none") | list %}
{% for line in without[:most_named] %}<bdi>{{ line.label }}</bdi> ({{ line.average.reason | upto(100) }}){{ "; " if not loop.last }}{% endfor %}{% if without | length > most_named %}; and {{ without | length - most_named }} more, with the reason in their rows{% endif %}.</p>
{% endif %}
{% endif %}
{% if differing %}
<div class="note"><p><b>Not the paper’s inputs.</b> The number of inputs differs from the paper’s test set, so these scores and the published ones are not of the same questions:
{% for column, number_asked in differing %}{{ column.short }} {{ number_asked }} instead of {{ column.examples | count }}{{ "; " if not loop.last else "." }}{% endfor %}</p></div>
{% endif %}
{% set strange = raw_remarks(section) | list %}
{% if strange %}
<div class="note"><p><b>Not upstream’s raw files.</b></p><ul>{% for text in strange %}<li>{{ text | upto(500) }}</li>{% endfor %}</ul></div>
{% endif %}
{% if loop.first %}
<div class="tools" id="board-tools" hidden>
<label>Models that contain<input type="search" id="models-filter" autocomplete="off" spellcheck="false"></label>
<label>Compare with<select id="reference"></select></label>
{% if beside %}<label class="check"><input type="checkbox" id="published-rows" checked> published rows</label>{% endif %}
</div>
<p class="note" id="marks" hidden>In the cells, the difference to the chosen model: ▲ significantly higher, ▼ significantly lower, ≈ no significant difference, Δ not tested. The mark is of a permutation test by documents (5 %, Holm’s correction over tasks; the average alone), not of the intervals above it, which say how far each score moves by itself. “Compare two models” shows test and interval of each difference.</p>
<p class="note" id="no-models" hidden>No model is called like this.</p>
{% endif %}
<div class="scroll" tabindex="0" role="region" aria-labelledby="board-{{ loop.index }}-title">
<table class="board" data-section="{{ loop.index0 }}">
<caption><span>Score; below it ± standard deviation over {{ "runs" if board.ranked else "seeds" }}, 95 % interval over {{ "runs" if board.ranked else "documents" }}, inputs answered / expected, and what was cut, refused or filtered.</span></caption>
{{ head() }}
<tbody>
{% for line in section.lines %}
<tr data-line="{{ loop.index0 }}" data-label="{{ line.label }}"><th scope="row" class="model">{{ model_name(line) }}{% set seeds = line.cells | map(attribute="seeds") | max %}{% if seeds > 1 %}<small>{{ seeds }} seeds</small>{% endif %}</th>
{% set interval = content.average(section.split, line) %}
{% if board.ranked %}{{ rank_cell(board.rank(section, line)) }}{% else %}
<td class="average"{% if line.average.value is not none %} data-value="{{ line.average.value }}"{% endif %}>{% if line.average.value is not none %}<b>{{ line.average.value | number }}</b>{% if interval %}<small>{{ interval[0] | number }}–{{ interval[1] | number }}</small>{% endif %}{% if line.average.spread is not none %}<small>{{ line.average.spread | spread }}</small>{% endif %}{% else %}–<small class="why">{{ line.average.reason | upto(200) }}</small>{% endif %}<small>{{ line.inputs[0] | count }}/{{ line.inputs[1] | count }}</small></td>
{% endif %}
{% for cell in line.cells %}
{% if cell.coverage is none or not cell.coverage.expected %}
<td{% if cell.reason != not_asked %} class="bad"{% endif %}>–<small{% if cell.reason != not_asked %} class="bad long"{% endif %}>{{ cell.reason if cell.reason in without_score else "failed" }}</small></td>
{% else %}
<td{% if cell.unanswered %} class="bad"{% endif %}{% if cell.value is not none %} data-value="{{ cell.value }}"{% endif %}><b>{{ cell.value | number }}</b>
{% if cell.parts %}<small>{{ cell.parts | parts }}</small>{% endif %}
{% if cell.spread is not none %}<small>{{ cell.spread | spread }}</small>{% endif %}
{% if cell.low is not none and cell.high is not none %}<small>{{ cell.low | number }}–{{ cell.high | number }}</small>{% endif %}
<small{% if cell.unanswered %} class="bad"{% endif %}>{% if cell.unanswered %}⚠ {% endif %}{{ cell | inputs }}</small>
{% if cell.coverage.truncated %}<small>{{ cell.coverage.truncated | count }} prompts cut</small>{% endif %}
{% for how, value in cell.coverage | stopped %}<small class="bad long">{{ value | count }} {{ how }}</small>{% endfor %}
</td>
{% endif %}
{% endfor %}
</tr>
{% endfor %}
</tbody>
{% if published %}{{ references_body(published, published.main, true) }}{% endif %}
</table>
</div>
</section>
{% endfor %}

{% if board.sections %}
<noscript><p class="note">Examples, sorting and comparisons need JavaScript; everything above and below does not.</p></noscript>
<section id="compare" aria-labelledby="compare-title" hidden>
<h2 id="compare-title">Compare two models</h2>
<div class="tools">
{% if board.sections | length > 1 %}<label>Split<select id="split"></select></label>{% endif %}
<label>First model<select id="first"></select></label>
<label>Second model<select id="second"></select></label>
</div>
<p class="note" id="pair-none" hidden></p>
<div id="pair-box" hidden>
<div class="scroll" tabindex="0" role="region" aria-label="Two models, task by task">
<table class="plain" id="pair"><caption><span>On the inputs that both answered. ▲ ▼ ≈ are of the test, not of the interval. Test: paired permutation of documents, ▲ ▼ p below 0.05, ≈ not; p of a task is corrected over the tasks (Holm), that of the average stands alone. Interval: bootstrap over documents, of this row alone. Where the two disagree, the remark says so. Detectable: the least difference that so many inputs show with 80 % power.</span></caption><thead></thead><tbody></tbody></table>
</div>
</div>
</section>
{% endif %}

{% if content.groups %}
<section id="explorer" aria-labelledby="examples-title" hidden>
<h2 id="examples-title">Examples</h2>
<div class="tools">
<label>Task<select id="group"></select></label>
<label>Only<select id="only"></select></label>
<label>Id contains<input type="search" id="ids" autocomplete="off" spellcheck="false"></label>
</div>
<div id="problem" class="warning" hidden></div>
<div class="scroll" tabindex="0" role="region" aria-labelledby="examples-title">
<table class="plain" id="examples"><caption><span>Open one to see document, prompt as sent, answers, references and scores.</span></caption><thead></thead><tbody></tbody></table>
</div>
<div class="pages"><button type="button" id="before">Previous 50</button><button type="button" id="after">Next 50</button><span id="examples-count" aria-live="polite"></span></div>
</section>
<dialog id="example" aria-labelledby="example-title">
<header>
<div class="bar"><h2 id="example-title" tabindex="-1">Example</h2><div class="bar"><button type="button" id="previous" aria-keyshortcuts="k">Previous</button><button type="button" id="next" aria-keyshortcuts="j">Next</button><button type="button" id="close">Close</button></div></div>
<div role="tablist" aria-label="What to see of the example">
<button type="button" role="tab" id="tab-answers" aria-controls="example-body">Answers</button>
<button type="button" role="tab" id="tab-references" aria-controls="example-body">References</button>
<button type="button" role="tab" id="tab-prompt" aria-controls="example-body">Prompt as sent</button>
<button type="button" role="tab" id="tab-document" aria-controls="example-body">Document</button>
</div>
</header>
<div id="example-body" role="tabpanel" tabindex="0" aria-labelledby="tab-answers"></div>
</dialog>
{% endif %}

{% if figures %}
<section id="charts" aria-labelledby="charts-title">
<h2 id="charts-title">Charts</h2>
<div class="figures">
{% for figure in figures %}
<figure{% if figure.wide %} class="wide"{% endif %}>
<div class="drawing" tabindex="0" role="region" aria-label="{{ figure.title }}">{{ figure.svg }}</div>
<figcaption><b>{{ figure.title }}.</b> {{ figure.caption | upto(600) }}</figcaption>
</figure>
{% endfor %}
</div>
</section>
{% endif %}

{% if usage %}
<section id="usage" aria-labelledby="usage-title">
<h2 id="usage-title">Cost and tokens</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="usage-title">
<table class="plain">
<caption><span>Of the answers shown here, as the providers count and charge; an en dash where a provider does not say. Failed tries that were charged are not in it: <code>scrollwork status</code> has all money spent.</span></caption>
<thead><tr><th scope="col">model</th><th scope="col">answers</th><th scope="col">input tokens</th><th scope="col">of them cached</th><th scope="col">output tokens</th><th scope="col">cost, USD</th><th scope="col">USD an answer</th><th scope="col">attempts</th></tr></thead>
<tbody>
{% for row in usage %}
<tr><th scope="row"><bdi>{{ row.label }}</bdi></th>{% for value in row["values"] %}<td>{{ value }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
</div>
</section>
{% endif %}

{% for section in board.sections %}
{% set published = references(section) %}
<section id="tasks-{{ loop.index }}" aria-labelledby="tasks-{{ loop.index }}-title">
<h2 id="tasks-{{ loop.index }}-title">Task by task, split {{ section.split }}</h2>
<div class="cards">
{% for column in board.columns %}
{% set place = loop.index0 %}
<article class="card">
<h3>{{ column.task }}</h3>
<p>{{ (column.metric | reading).name }}{% for label, value in facts.get((column.task, section.split), {}).items() %} · {{ label }} {{ value | fact }}{% endfor %}{% if board.raw[section.split, column.task] is defined %} · {{ raw_summary(board.raw[section.split, column.task]) }}{% endif %}
{% if published and paper[column.task] and paper[column.task].get("examples") %} · in the paper {{ paper[column.task].examples | fact }} inputs of {{ paper[column.task].mean_words | fact }} words on average{% endif %}</p>
{% set unasked = namespace(lines=[]) %}
{% for line in section.lines %}
{% set cell = line.cells[place] %}
{% if cell.reason == not_asked %}{% set unasked.lines = unasked.lines + [line.label] %}{% else %}
<div class="one">
<div class="who"><b>{{ model_name(line) }}</b>
{% if cell.value is none %}<span class="bad">{{ cell.reason | upto(200) }}</span>
{% else %}<span><span class="value">{{ cell.value | number(2) }}</span>{% if cell.spread is not none %} <span class="soft">±{{ cell.spread | number(2) }}</span>{% endif %}</span>{% endif %}
</div>
{% if cell.seed_values | length > 1 %}{{ cell | strip(board.published.baseline(column.task) if published else none) }}{% endif %}
{% if cell.coverage is not none %}
<dl>
{% if cell.low is not none and cell.high is not none %}<div><dt>95 % interval</dt><dd>{{ cell.low | number(2) }}–{{ cell.high | number(2) }}</dd></div>{% endif %}
{% if cell.seed_values | length > 1 %}<div><dt>lowest to highest seed</dt><dd>{{ cell.seed_values | min | number(2) }}–{{ cell.seed_values | max | number(2) }}</dd></div>{% endif %}
{% if cell.components | length > 1 %}{% for name, value in cell.components | components %}<div><dt>{{ name }}</dt><dd>{{ value | number(2) }}</dd></div>{% endfor %}{% endif %}
</dl>
<dl>
{% if cell.seeds > 1 %}<div><dt>seeds</dt><dd>{{ cell.seeds }}</dd></div>{% endif %}
<div{% if cell.unanswered %} class="bad"{% endif %}><dt>inputs answered</dt><dd>{{ cell.coverage.answered | count }} of {{ cell.coverage.expected | count }}</dd></div>
{% for label, value in (("failed", cell.coverage.failed), ("missing", cell.coverage.missing)) %}
<div{% if value %} class="bad"{% endif %}><dt>{{ label }}</dt><dd>{{ value | count }}</dd></div>
{% endfor %}
<div><dt>prompts cut</dt><dd>{{ cell.coverage.truncated | count }}</dd></div>
{% for how, value in cell.coverage | stopped %}<div class="bad"><dt>{{ how }}</dt><dd>{{ value | count }}</dd></div>{% endfor %}
{% if cell.unanswered %}<div><dt>with unanswered as 0</dt><dd>{{ cell.value_missing_as_zero | number(2) }}</dd></div>{% endif %}
</dl>
{% endif %}
</div>
{% endif %}
{% endfor %}
{% if unasked.lines %}<p class="unasked">Not asked: {% for name in unasked.lines %}<bdi>{{ name }}</bdi>{{ ", " if not loop.last else "." }}{% endfor %}</p>{% endif %}
</article>
{% endfor %}
</div>
</section>
{% endfor %}

"""
    + TABLES
    + """
<section id="failures" aria-labelledby="failures-title">
<h2 id="failures-title">Failures</h2>
{% if board.failures %}
<p>These tasks have no score. Run the same command again once the cause is mended: what stands is not done twice.</p>
<ul class="failures">
{% for one in board.failures %}
<li><b>{{ one.task or "task unknown" }}</b>{% if one.split %}, split {{ one.split }}{% endif %}, <bdi>{{ one.model }}</bdi>
<code dir="ltr">{{ one.message | upto(message_limit) }}</code></li>
{% endfor %}
</ul>
{% else %}
<p>{% if unanswered %}No task failed as a whole. Inputs without an answer are named above their leaderboard.{% else %}None: every task that was asked for has a score, and every input an answer.{% endif %}</p>
{% endif %}
</section>

{% if board.published %}
<section id="published" aria-labelledby="published-title">
<h2 id="published-title">Published results</h2>
<p>Printed in the paper for its {{ board.published.split }} split, shown for reference, not computed here and part of no average above. A row that is not to be compared with the others says why.
{% if board.published.url.startswith("https://") %}<a href="{{ board.published.url }}" rel="noreferrer">{{ board.published.title }}</a>{% else %}{{ board.published.title }}{% endif %}. {{ board.published.citation | upto(400) }}</p>
{% for table, title in board.published.titles.items() %}
{% if table != board.published.main or not beside %}
<div class="scroll" tabindex="0" role="region" aria-label="{{ title }}">
<table class="board">
<caption><span>{{ title }}. {{ board.published.short }}.</span></caption>
{{ head() }}
{{ references_body(board.published, table, false) }}
</table>
</div>
{% endif %}
{% endfor %}
{% for row in board.published.rows if row.note %}
<p class="small soft"><b>{{ row.label }}</b>, table {{ row.table }}: {{ row.note | upto(400) }}.</p>
{% endfor %}
</section>
{% endif %}

<section id="reading" aria-labelledby="reading-title">
<h2 id="reading-title">How to read this</h2>
<dl class="reading">
<dt>Score</dt><dd>0 to 100, higher is better, by the task’s own metric; over the inputs that were answered. A failed call is no answer: it is never scored as an empty one.</dd>
{% if board.ranked %}
<dt>AR, ARSD</dt><dd>Average rank over the data sets, and the mean over them of the standard deviation of the runs’ scores divided by their mean. There is no average over data sets, whose metrics are not of one kind.</dd>
<dt>Runs</dt><dd>Each run draws instructions, demonstrations, the order of documents and instances anew, the same for every model. A score is the mean over runs, ± their standard deviation, its interval Student’s for the mean of runs.</dd>
{% else %}
<dt>Average</dt><dd>The plain mean of the unrounded scores of all {{ board.columns | length }} tasks. It is withheld while a task is missing or an input is unanswered, because a mean over other questions is another number.</dd>
{% endif %}
{% if content.groups %}<dt>Keys</dt><dd>In an example, <kbd>j</kbd> and <kbd>k</kbd> go to the next and the one before, arrow keys move between its tabs, <kbd>Esc</kbd> closes it. The address of an open example can be kept.</dd>{% endif %}
<dt>▲ ▼ ≈ Δ</dt><dd>Beside a chosen model: significantly better, significantly worse, no significant difference, by a paired permutation test of documents at 5 %, with Holm’s correction over tasks (the average’s test stands alone). Δ is a difference that was not tested. Intervals of differences are a bootstrap’s; the two ask different questions (may documents have changed sides? how far would other documents move it?) and can disagree when p is near 5 % or documents are few. The mark is always the test’s.</dd>
{% if not board.ranked %}<dt>±</dt><dd>Standard deviation over a baseline’s seeds: how far chance alone moves the score. In a strip, each thin stroke is a seed, the tall one their mean, the dashed one what the paper prints for its naive baseline.</dd>{% endif %}
<dt>95 % interval</dt><dd>{% if board.ranked %}Of differences and of parts of the inputs: b{% else %}B{% endif %}ootstrap over documents: how far the choice of documents moves the score. Questions on one document are kept together. There is none for a single document.</dd>
<dt>Answered / expected</dt><dd>In inputs; a baseline of several seeds has answered an input when every seed has. Expected = attempted + missing; attempted = answered + failed. ⚠ marks a score whose inputs are not all answered.</dd>
<dt>Prompts cut</dt><dd>Inputs whose document did not fit the model and was shortened; the model did not see the rest.</dd>
<dt>Cut at their output limit, refused, filtered, ended by the context, with a key masked</dt><dd>Answers that ended at the limit of new tokens and may lack their end, that the model refused, that the provider withheld or that met the end of the model’s context. They are answers and are scored as they are, often with 0. An answer that repeated an API key whole is scored with [key] in its place.</dd>
{% if beyond %}
<dt>In the form asked for</dt><dd>Nothing but a letter, a percentage, ids with commas, an option, one sentence on one line, or prose without headings, lists or an announcement, as the task asks. “Unreadable”: the metric found no letter, percentage or permutation.</dd>
<dt>“Unanswerable”, “not in the text”, declined</dt><dd>What an answer’s first words say: that the question has no answer (“wrongly so”: of the inputs that every reference answers), that the text does not hold it, that the model cannot or will not.</dd>
<dt>Evidence, answer’s text in the prompt</dt><dd>Whether what the answer rests on, where the data say so, or the reference’s own words, were kept when the document was cut.</dd>
{% endif %}
{% for metric in metrics %}
<dt>{{ (metric | reading).short }}</dt><dd><b>{{ (metric | reading).name }}.</b> {{ (metric | reading).meaning | upto(600) }}</dd>
{% endfor %}
</dl>
</section>
</main>
<footer>Made by scrollwork. {% if content.folder %}This page needs the folder {{ content.folder.split("/")[0] }} beside it and nothing from a network.{% else %}This file is whole: it loads nothing from anywhere and can be kept, mailed and printed.{% endif %}</footer>
<p class="unseen" id="said" role="status"></p>
<script type="application/json" id="core">{{ core }}</script>
<script>{{ script }}</script>
"""
    + CHUNKS
    + """
</body>
</html>
"""
)
