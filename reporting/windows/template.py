"""The part of the page's template that shows what problems need (section.py), and its style."""

STYLE = """
.needs .who { text-align: left; }
.needs tbody th { white-space: nowrap; }
.needs td.who { white-space: normal; overflow-wrap: anywhere; min-width: 5rem; }
.needs tbody tr.apart > * { border-top: 0; color: var(--soft); }
.needs details > summary { margin: .5rem 0; }
.needs .problem { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .2rem 1rem .8rem; margin: .9rem 0; }
.needs .map { display: grid; grid-template-columns: max-content minmax(0, 46rem); gap: 0 .6rem; font-size: .75rem; margin: .6rem 0; }
.needs .map ol { list-style: none; margin: 0; padding: 0; text-align: right; font-variant-numeric: tabular-nums; }
.needs .map li { height: 15px; line-height: 12px; }
.needs .map svg { width: 100%; }
.needs .right { fill: #0072b2; } .needs .wrong { fill: #d55e00; } .needs .declined { fill: var(--line); }
.needs .key span::before { content: "■ "; }
.needs .key .k-right::before { color: #0072b2; } .needs .key .k-wrong::before { color: #d55e00; } .needs .key .k-declined::before { color: var(--line); }
.needs blockquote { margin: .5rem 0 .9rem; padding-left: .9rem; border-left: .2rem solid var(--line); max-width: 60rem; color: var(--soft); font-size: .92rem; }
.needs mark { background: #0072b2; background: color-mix(in srgb, #0072b2 18%, transparent); color: var(--ink); padding: 0 .1em; }
"""

SECTION = """
{% macro three(values) %}{% for value in values %}<td>{{ value }}</td>{% endfor %}{% endmacro %}
{% for part in parts %}
<section class="needs" id="needs-{{ loop.index }}" aria-labelledby="needs-{{ loop.index }}-title">
<h2 id="needs-{{ loop.index }}-title">Retrieval or holistic understanding, split {{ part.split }}</h2>
<p class="note">Share of problems that are decided and in each category: {% for name, meaning in categories %}<b>{{ name }}</b> {{ meaning }}{{ ", " if not loop.last }}{% endfor %}; of V, what the whole context solves (at least half of the answers on it are right) and what it does not. Undecided, in no category: that of the fitted λ and k has a probability below 80 %. Small print: the share that the probabilities of all problems add up to, with its 95 % interval; where many problems are undecided it differs from the count above it. Categories are by λ, the units that one piece of evidence takes, and k, how often it stands there (limits: up to the first they are small, beyond the second λ is large), as this model’s answers on parts of the context tell them. COW: answers are right, wrong or declined; PIG: they have parts, and scores are graded.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Shares of categories"><table class="ranks">
<thead><tr><th scope="col" class="who">task</th><th scope="col" class="who">model</th>{% for name, meaning in categories %}<th scope="col"><abbr title="{{ meaning }}">{{ name }}</abbr>, %</th>{% endfor %}{% for what in ("solved", "unsolved") %}<th scope="col"><abbr title="{{ parts_of_v[loop.index0] }}">V {{ what }}</abbr>, %</th>{% endfor %}<th scope="col">undecided, %</th><th scope="col">problems</th><th scope="col">fitted as<br><small><abbr title="small: λ and k up to the first, large: λ beyond the second">limits</abbr></small></th><th scope="col"><abbr title="right, wrong, declined: what is answered without the evidence">noise</abbr></th><th scope="col"><abbr title="parts of contexts that were answered">windows</abbr></th></tr></thead>
<tbody>
{% for row in part.shares %}
<tr><th scope="row">{{ row.task }}</th><td class="who"><bdi>{{ row.model }}</bdi></td>
{% for cell in row.cells %}<td><b>{{ cell.share | number(0) }}</b><br><small>{{ cell.expected | number(0) }} ({{ cell.low | number(0) }}–{{ cell.high | number(0) }})</small></td>{% endfor %}
<td>{{ row.holistic[0] | number(0) }}</td><td>{{ row.holistic[1] | number(0) }}{% if row.holistic[2] %}<br><small>{{ row.holistic[2] | number(0) }} not asked</small>{% endif %}</td><td>{{ row.undecided | number(0) }}</td><td>{{ row.problems | count }}</td><td>{{ row.scenario }}<br><small>{{ row.low | count }}, {{ row.high | count }}{% if row.twins %}, also of {{ row.twins }}{% endif %}</small></td><td>{{ row.noise }}</td><td>{{ row.answered | count }}{% if row.answered != row.windows %} of {{ row.windows | count }}{% endif %}<br><small>{{ row.declined | count }} declined</small></td></tr>
{% endfor %}
</tbody></table></div>
{% for table in part.ranks %}
<details{% if loop.first %} open{% endif %}><summary>Tasks by retrieval and by holistic understanding: <bdi>{{ table.model }}</bdi></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Tasks in order"><table class="ranks">
<thead><tr><th scope="col">#</th><th scope="col" class="who">by {{ ranked[0] }}, retrieval</th><th scope="col">%</th><th scope="col" class="who">by {{ ranked[1] }}, holistic, solved by the whole context</th><th scope="col">%</th></tr></thead>
<tbody>
{% for line in table.lines %}<tr><td>{{ loop.index }}</td>{% for cell in line %}<td class="who">{{ cell.task }} <small>{{ cell.scenario }}</small></td><td>{{ cell.share | number(0) }}{% if cell.unsolved %} <small>and {{ cell.unsolved | number(0) }} unsolved</small>{% endif %}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div></details>
{% endfor %}
{% for pair in part.agreements %}
<details{% if loop.first %} open{% endif %}><summary>The same problems by two models: <bdi>{{ pair.one }}</bdi> and <bdi>{{ pair.other }}</bdi></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Agreement of two models"><table class="ranks">
<caption><span>RC: mean relative change, |a − b| / max(a, b), 0 where they agree, 1 at most. ρ: Spearman’s rank correlation; – where one of them never changes. KL: of the noise, the first model as reference, in nats. Second lines: without problems that need no context by either model, as the paper compares.</span></caption>
<thead><tr><th scope="col" class="who">task</th><th scope="col">fitted as</th><th scope="col">problems</th><th scope="col">RC of λ</th><th scope="col">ρ of λ</th><th scope="col">RC of k</th><th scope="col">ρ of k</th><th scope="col">KL</th><th scope="col">same category, %</th></tr></thead>
<tbody>
{% for line in pair.lines %}<tr{% if line.left_out %} class="apart"{% endif %}><th scope="row">{{ line.task }}{% if line.left_out %} <small>without I</small>{% endif %}</th><td>{{ line.scenario }}</td><td>{{ line.problems | count }}</td>{{ three(line.cells) }}<td>{{ line.same }}</td></tr>
{% endfor %}
</tbody></table></div></details>
{% endfor %}
{% if part.more_pairs %}<p class="small soft">{{ part.more_pairs | count }} more pairs of models are not shown; <code>run dolce --json</code> has them.</p>{% endif %}
{% if part.typical %}
<details><summary>The most typical problem of each category</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Typical problems"><table class="ranks">
<thead><tr><th scope="col" class="who">task</th><th scope="col" class="who">model</th><th scope="col" class="who">category</th><th scope="col" class="who">problem</th><th scope="col">λ</th><th scope="col">k</th><th scope="col">C</th><th scope="col">w</th><th scope="col">probability, %</th></tr></thead>
<tbody>
{% for row in part.typical %}
<tr><th scope="row">{{ row.task }}</th><td class="who"><bdi>{{ row.model }}</bdi></td><td class="who">{{ row.category }} {{ row.meaning }}</td><td class="who"><bdi>{{ row.problem | upto(60) }}</bdi></td><td>{{ row.complexity }}</td><td>{{ row.redundancy | count }}</td><td>{{ row.units | count }}</td><td>{{ row.weight }}</td><td>{{ row.probability }}{% if row.undecided %} <small>undecided</small>{% endif %}</td></tr>
{% endfor %}
</tbody></table></div></details>
{% for row in part.details %}
<details><summary>{{ row.category }} {{ row.meaning }}: {{ row.task }}, <bdi>{{ row.model }}</bdi>, problem <bdi>{{ row.problem | upto(60) }}</bdi></summary>
<div class="problem">
{% if row.asked.query %}<p><b>Asked:</b> <bdi>{{ row.asked.query | upto(600) }}</bdi></p>{% endif %}
{% if row.asked.references %}<p><b>{{ "Reference" if row.asked.references | length == 1 else "References" }}:</b> {% for one in row.asked.references[:4] %}<bdi>{{ one | upto(400) }}</bdi>{{ "; " if not loop.last }}{% endfor %}</p>{% endif %}
<p class="small">λ = {{ row.complexity }}, k = {{ row.redundancy | count }} in C = {{ row.units | count }} {{ row.many }}, with a probability of {{ row.probability }} % of {{ row.category }}{% if row.undecided %}, so undecided{% endif %}; fitted as {{ row.scenario }}{% if row.dip %} (dip test of its scores: p = {{ row.dip }}){% endif %}.</p>
<p class="small key">Where windows begin, by their length in {{ row.many }}: <span class="k-right">right</span> <span class="k-wrong">wrong</span> <span class="k-declined">declined</span>; each mark reaches to the next window that was shown</p>
<div class="map"><ol>{% for length in row.lengths %}<li>{{ length }}</li>{% endfor %}</ol><svg role="img" aria-label="Windows that were answered right, by place and length" viewBox="0 0 {{ wide }} {{ step * row.lines }}" preserveAspectRatio="none" height="{{ step * row.lines }}">{{ row.map }}</svg></div>
{% for one in row.passages %}
<p class="small"><b>{{ "Right" if row.cow else "Score " ~ (one.score | number) }}</b> when shown: {{ one.place }}</p>
{% if one.head is defined %}<blockquote dir="auto">{{ "…" if one.before }}{{ one.before | upto(200) }}<mark>{{ one.head | upto(800) }}</mark>{% if one.left %} <i>({{ one.left | count }} characters more)</i> <mark>{{ one.tail | upto(400) }}</mark>{% endif %}{{ one.after | upto(200) }}{{ "…" if one.after }}</blockquote>{% endif %}
{% else %}
<p class="small soft">No part of the context led to a right answer.</p>
{% endfor %}
<div class="scroll" tabindex="0" role="region" aria-label="Seen and fitted by length"><table class="ranks">
{% if row.cow %}
<caption><span>Shares of right, wrong and declined answers: seen, as fitted, and of the oracle alone; how probable it is that an answer of each kind is the oracle’s.</span></caption>
<thead><tr><th scope="col">units shown</th><th scope="col">windows</th>{% for what in ("seen", "fitted", "oracle", "oracle’s, given") %}{% for outcome in ("right", "wrong", "declined") %}<th scope="col">{% if loop.first %}{{ what }}<br>{% endif %}{{ outcome }}</th>{% endfor %}{% endfor %}</tr></thead>
<tbody>{% for line in row.table %}<tr><td>{{ line.length }}</td><td>{{ line.windows | count }}</td>{{ three(line.observed) }}{{ three(line.fitted) }}{{ three(line.oracle) }}{{ three(line.posterior) }}</tr>
{% endfor %}</tbody>
{% else %}
<caption><span>Mean scores, 0 to 1: seen, as fitted, and of the oracle alone with its weight at each length.</span></caption>
<thead><tr><th scope="col">units shown</th><th scope="col">windows</th><th scope="col">seen</th><th scope="col">fitted</th><th scope="col">oracle</th><th scope="col">weight</th></tr></thead>
<tbody>{% for line in row.table %}<tr><td>{{ line.length }}</td><td>{{ line.windows | count }}</td>{{ three(line.observed) }}{{ three(line.fitted) }}{{ three(line.oracle) }}<td>{{ line.weight }}</td></tr>
{% endfor %}</tbody>
{% endif %}
</table></div>
</div></details>
{% endfor %}
{% if part.more %}<p class="small soft">{{ part.more | count }} more typical problems are in the table only.</p>{% endif %}
{% endif %}
{% for one in part.observed %}
<details><summary>Answers by length of the window: {{ one.task }}, <bdi>{{ one.model }}</bdi></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Answers by length"><table class="ranks">
<thead><tr><th scope="col" class="who">units shown</th>{% for length in one.lengths %}<th scope="col">{{ length }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in one.rows %}<tr><th scope="row">{{ row.label }}</th>{% for value in row["values"] %}<td>{{ value }}</td>{% endfor %}</tr>
{% endfor %}
<tr><th scope="row">windows</th>{% for value in one.windows %}<td>{{ value }}</td>{% endfor %}</tr>
</tbody></table></div></details>
{% endfor %}
</section>
{% endfor %}
"""
