"""The part of the page's template that shows what is said of answers beside their score (judgement_tables.py)."""

TABLES = """
{% macro beyond_table(table, caption) %}
<div class="scroll" tabindex="0" role="region" aria-label="{{ caption }}">
<table class="beyond">
<caption><span>{{ caption | upto(400) }}</span></caption>
<thead>
<tr><th scope="col" rowspan="2">model</th>{% for text, width in table.groups %}<th scope="colgroup" colspan="{{ width }}" class="first">{{ text }}</th>{% endfor %}</tr>
<tr>{% for head in table.heads %}<th scope="col"{% if loop.index0 in table.starts %} class="first"{% endif %}>{{ head }}</th>{% endfor %}</tr>
</thead>
<tbody>
{% for line, of, cells in table.rows %}
<tr><th scope="row"><bdi>{{ line.model }}</bdi>{% if line.arm != usual_arm %} <small>{{ line.arm }}</small>{% endif %}<small>n {{ of }}</small></th>
{% for cell in cells %}
<td{% if loop.index0 in table.starts %} class="first"{% endif %}>{% if cell is none %}–{% else %}{{ cell.text }}{% if cell.interval %}<small>{{ cell.interval }}</small>{% endif %}{% if cell.of != of %}<small>n {{ cell.of }}</small>{% endif %}{% endif %}</td>
{% endfor %}
</tr>
{% endfor %}
</tbody>
</table>
</div>
{% endmacro %}
{% for split, tasks in beyond %}
<section id="beyond-{{ loop.index }}" aria-labelledby="beyond-{{ loop.index }}-title">
<h2 id="beyond-{{ loop.index }}-title">Beside the scores, split {{ split }}</h2>
<p>How answers look, by rules of thumb that change no score, and the score on parts of the inputs. Small below a value: its 95 % interval over documents, where anything varies. n: of how many inputs, of all cells of a row that do not say otherwise.</p>
{% for one in tasks %}
<details class="beyond"{% if loop.first %} open{% endif %}><summary>{{ one.column.task }}</summary>
{% if one.looks %}{{ beyond_table(one.looks, one.column.task ~ ": what answers look like, in percent of the answers, and their length in words. Never part of the score.") }}{% endif %}
{% if one.parts %}{{ beyond_table(one.parts, one.column.task ~ ": score (" ~ (one.column.metric | reading).short ~ ") by parts of the inputs.") }}{% endif %}
</details>
{% endfor %}
</section>
{% endfor %}
"""
