"""The part of the page's template that shows what problems need (complexity_section.py)."""

SECTION = """
{% for part in parts %}
<section id="needs-{{ loop.index }}" aria-labelledby="needs-{{ loop.index }}-title">
<h2 id="needs-{{ loop.index }}-title">Retrieval or holistic understanding, split {{ part.split }}</h2>
<p class="note">Share of problems in each category: {% for name, meaning in categories %}<b>{{ name }}</b> {{ meaning }}{{ ", " if not loop.last }}{% endfor %}. Small print: the share that the probabilities of all problems add up to, with its 95 % interval; where many problems are undecided it differs from the count above it. Undecided: no category has a probability of 80 %. Categories are by λ, the units that one piece of evidence takes, and k, how often it stands there, as this model’s answers on parts of the context tell them.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Shares of categories"><table class="ranks">
<thead><tr><th scope="col" class="who">task</th><th scope="col" class="who">model</th>{% for name, meaning in categories %}<th scope="col"><abbr title="{{ meaning }}">{{ name }}</abbr>, %</th>{% endfor %}<th scope="col">undecided</th><th scope="col">problems</th><th scope="col">model of answers</th><th scope="col"><abbr title="right, wrong, declined">noise</abbr></th><th scope="col">windows</th><th scope="col">small, middle</th></tr></thead>
<tbody>
{% for row in part.shares %}
<tr><th scope="row">{{ row.task }}</th><td class="who"><bdi>{{ row.model }}</bdi></td>
{% for cell in row.cells %}<td><b>{{ cell.share | number(0) }}</b><br><small>{{ cell.expected | number(0) }} ({{ cell.low | number(0) }}–{{ cell.high | number(0) }})</small></td>{% endfor %}
<td>{{ row.undecided | count }}</td><td>{{ row.problems | count }}</td><td>{{ row.scenario }}</td><td>{{ row.noise }}</td><td>{{ row.answered | count }}{% if row.answered != row.windows %} of {{ row.windows | count }}{% endif %}<br><small>{{ row.declined | count }} declined</small></td><td><small>{{ row.limits }}</small></td></tr>
{% endfor %}
</tbody></table></div>
{% if part.typical %}
<details><summary>The most typical problem of each category</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Typical problems"><table class="ranks">
<thead><tr><th scope="col" class="who">task</th><th scope="col" class="who">model</th><th scope="col" class="who">category</th><th scope="col" class="who">problem</th><th scope="col">λ</th><th scope="col">k</th><th scope="col">C</th><th scope="col">w</th><th scope="col">probability, %</th></tr></thead>
<tbody>
{% for row in part.typical %}
<tr><th scope="row">{{ row.task }}</th><td class="who"><bdi>{{ row.model }}</bdi></td><td class="who">{{ row.category }} {{ row.meaning }}</td><td class="who"><bdi>{{ row.problem | upto(60) }}</bdi></td><td>{{ row.complexity }}</td><td>{{ row.redundancy | count }}</td><td>{{ row.units | count }}</td><td>{{ row.weight }}</td><td>{{ row.probability }}{% if row.undecided %} <small>undecided</small>{% endif %}</td></tr>
{% endfor %}
</tbody></table></div></details>
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
