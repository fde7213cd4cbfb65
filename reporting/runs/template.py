"""The part of the page's template that shows a ranking over runs (section.py)."""

STYLE = """
.ranks td, .ranks th { white-space: nowrap; }
.ranks tbody th { font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 7.5rem; text-align: left; }
.ranks tbody.published th, .ranks tbody.published td { color: var(--soft); font-weight: 400; }
.ranks tbody.published .label { text-align: left; color: var(--ink); border-top: 2px solid var(--ink); white-space: normal; }
.ranks .label span { position: sticky; left: .9rem; display: block; max-width: min(100vw - 4rem, 60rem); }
.ranks td.na { color: var(--soft); }
.ranks small { font-weight: 400; color: var(--soft); }
.sets { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 38rem), 1fr)); gap: 1rem; margin-top: 1rem; }
.sets > article { min-width: 0; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16.5rem), 1fr)); gap: .2rem 1.2rem; align-items: start; }
.sides > div { overflow-x: auto; min-width: 0; }
.sides table { font-size: .85rem; }
.sides caption { padding: .3rem 0 .2rem; }
.sides th:first-child, .sides td:first-child { padding-left: 0; text-align: right; width: 1.6rem; }
.sides tbody th { min-width: 5rem; padding-left: .3rem; }
.ranks th.who { text-align: left; }
.sides th.who { padding-left: .3rem; }
.sides td:last-child, .sides th:last-child { padding-right: 0; }
.headline .none small { font-weight: 400; }
@media print { .sets { grid-template-columns: 1fr 1fr; } .sets > article { break-inside: avoid; } }
"""

SECTION = """
{% macro name(row) %}<bdi>{{ row.model }}</bdi>{% if row.arm != usual_arm %} <small>{{ row.arm }}</small>{% endif %}{% endmacro %}
{% macro overall(rows, published, compared) %}
{% for row in rows %}
<tr><td>{{ loop.index }}</td><th scope="row">{{ name(row) }}</th>
<td><b>{{ row.ar | number(2) }}</b></td><td>{{ row.ar_interval }}</td>
<td><b>{{ row.arsd }}</b></td><td>{{ row.arsd_interval }}</td>
<td>{{ row.best }}</td>
{% if compared %}<td>{{ row.compared_ar | number(2) }}</td><td>{{ row.compared_arsd }}</td>{% endif %}
<td>{{ row.of }}</td></tr>
{% endfor %}
{% endmacro %}
{% macro side(rows, caption) %}
<div tabindex="0" role="region" aria-label="{{ caption }}"><table class="ranks">
<caption>{{ caption }}</caption>
<thead><tr><th scope="col"><abbr title="rank">#</abbr></th><th scope="col"><abbr title="dominance of the model above over this one: 1 − ε min">↓</abbr></th><th scope="col" class="who">model</th><th scope="col">mean ± std</th></tr></thead>
<tbody>
{% for row in rows %}
<tr><td>{{ row.rank }}</td><td>{{ row.arrow }}</td><th scope="row">{{ name(row) }}</th><td{% if row.value == "NA" %} class="na"{% endif %}>{{ row.value }}{% if row.reason %}<br><small>{{ row.reason | upto(120) }}</small>{% endif %}{% if row.ends %}<br><small>{{ row.ends }}</small>{% endif %}</td></tr>
{% endfor %}
</tbody></table></div>
{% endmacro %}
{% for part in parts %}
{% set compared = part.compared %}
<section id="ranks-{{ loop.index }}" aria-labelledby="ranks-{{ loop.index }}-title">
<h2 id="ranks-{{ loop.index }}-title">Models ranked over runs, split {{ part.split }}</h2>
{% if part.cards %}
<ul class="headline" aria-label="Average ranks">
{% for row in part.cards %}
<li><span><bdi>{{ row.label }}</bdi>, average rank</span><strong>{{ row.ar | number(2) }}</strong><span>ARSD {{ row.arsd }}{% if row.arsd != "–" %} %{% endif %} · {{ row.over }}</span></li>
{% endfor %}
</ul>
{% else %}
<div class="warning"><strong>No model is ranked.</strong></div>
{% endif %}
{% if part.warnings %}
<div class="warning" role="note"><p><strong>Not compared.</strong> Scores of runs that drew other prompts, or that lack answers, are no scores of the same questions.</p>
<ul>{% for text in part.warnings %}<li>{{ text | upto(600) }}</li>{% endfor %}</ul></div>
{% endif %}
{% if part.notes %}
<div class="note"><ul>{% for text in part.notes %}<li>{{ text | upto(600) }}</li>{% endfor %}</ul></div>
{% endif %}
{% if part.models %}
<div class="scroll" tabindex="0" role="region" aria-label="AR and ARSD">
<table class="ranks">
<caption><span>AR: mean of the ranks on the data sets, 1 is best; without a score a model ranks last. ARSD: mean of standard deviation / mean over the runs, in percent, low is robust. Intervals (95 %) by resampling runs; best: how often its AR is the lowest in resamples.{% if compared %} The two columns before the last leave out what cannot be compared with the paper: they are over {{ part.compared_names }} only.{% endif %}</span></caption>
<thead><tr><th scope="col">#</th><th scope="col" class="who">model</th><th scope="col">AR</th><th scope="col">95 %</th><th scope="col">ARSD, %</th><th scope="col">95 %</th><th scope="col">best, %</th>{% if compared %}<th scope="col">AR, comparable</th><th scope="col">ARSD, comparable</th>{% endif %}<th scope="col">data sets</th></tr></thead>
<tbody>{{ overall(part.models, false, compared) }}</tbody>
{% if part.published %}
<tbody class="published">
<tr><th class="label" scope="colgroup" colspan="{{ 10 if compared else 8 }}"><span>Published, not computed here: {{ paper.short }}, table {{ paper.main }}. The paper prints means and deviations; AR and ARSD are worked out from these, ranks are among the paper’s own models.</span></th></tr>
{{ overall(part.published, true, compared) }}
</tbody>
{% endif %}
</table>
</div>
{% if part.stable %}<p class="small soft">{{ part.stable }}</p>{% endif %}
<div class="sets">
{% for one in part.sets %}
<article class="card">
<h3>{{ one.task }}</h3>
<p>{{ (one.metric | reading).name }}{% if one.proxy %} · <b class="bad">{{ one.proxy | upto(200) }}</b>{% endif %}{% if one.upstream %} · upstream’s {{ one.upstream }} split{% endif %}{% if one.arsd or one.published_arsd %} · ARSD{% if one.arsd %} {{ one.arsd }} %{% endif %}{% if one.published_arsd %}{{ "," if one.arsd }} published {{ one.published_arsd }} %{% endif %}{% endif %}</p>
<div class="sides">
{% if one.rows %}{{ side(one.rows, "Here") }}{% else %}<p class="small soft">Not scored here.</p>{% endif %}
{% if one.published %}{{ side(one.published, "Published, " ~ paper.short ~ ", table " ~ paper.main) }}{% endif %}
</div>
</article>
{% endfor %}
</div>
<p class="small soft">As the paper’s table prints it: mean ± population standard deviation over runs; below it the lowest and highest run. ↓: 1 − ε<sub>min</sub> of the model ranked above over this one (almost stochastic order). It is no probability.</p>
{% endif %}
{% if part.correlations %}
<div class="scroll" tabindex="0" role="region" aria-label="Correlations">
<table class="ranks">
<caption><span>What scores go with. Format: over runs of all models, with the share of answers in the form asked for. Length: over instances of all models, with the length of the prompt.</span></caption>
<thead><tr><th scope="col">data set</th><th scope="col">against</th><th scope="col">Pearson r</th><th scope="col">Spearman</th><th scope="col">points</th><th scope="col">published r</th></tr></thead>
<tbody>
{% for row in part.correlations %}
<tr><th scope="row">{{ row.task }}</th><td>{{ row.against }}{% if row.unit %}, {{ row.unit }}{% endif %}</td><td>{{ row.pearson }}</td><td>{{ row.spearman }}</td><td>{{ row.points | count }}</td><td>{{ row.published | number(2) }}</td></tr>
{% endfor %}
</tbody></table></div>
{% endif %}
{% if part.variances %}
<div class="scroll" tabindex="0" role="region" aria-label="Where the spread comes from">
<table class="ranks">
<caption><span>Where the spread comes from: runs in which one variable alone was drawn anew. Variance of their scores (n − 1) with its 95 % interval, its share of the sum over the variables{% if part.draws %} (without the model’s own draws, where these were measured){% endif %}, and the variance of ordinary runs.</span></caption>
<thead><tr><th scope="col">data set</th><th scope="col">model</th><th scope="col">variable</th><th scope="col">runs</th><th scope="col">variance</th><th scope="col">95 %</th><th scope="col">share, %</th>{% if part.draws %}<th scope="col">own draws</th>{% endif %}<th scope="col">all vary</th></tr></thead>
<tbody>
{% for row in part.variances %}
<tr><th scope="row">{{ row.task }}</th><td class="who"><bdi>{{ row.label }}</bdi></td><td>{{ row.vary }}</td><td>{{ row.runs }}</td><td>{{ row.variance | number(3) }}</td><td>{{ row.interval }}</td><td>{{ row.share }}</td>{% if part.draws %}<td>{{ row.draws | number(3) }}</td>{% endif %}<td>{{ row.total | number(3) }}</td></tr>
{% endfor %}
</tbody></table></div>
{% endif %}
</section>
{% endfor %}
"""
