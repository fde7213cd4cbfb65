"""The dress that all pages share. A Python string, so that it is part of a stage's source digest."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fcfbf8; --card: #ffffff; --ink: #1f1d1a; --soft: #625d54; --line: #e2ddd2; --faint: #f3f0e9; --edge: #8d8679;
  --accent: #1d5f6b; --warn: #8a3b00; --warn-back: #fdf0e0; --warn-line: #e3a765; --seed: #1d5f6b; --up: #1c6b33;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    --paper: #171614; --card: #1e1d1a; --ink: #ebe7df; --soft: #aaa396; --line: #38352f; --faint: #24221f; --edge: #7d766a;
    --accent: #7cc4cf; --warn: #ffc078; --warn-back: #33240f; --warn-line: #8a6226; --seed: #7cc4cf; --up: #8fd6a0;
  }
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark;
  --paper: #171614; --card: #1e1d1a; --ink: #ebe7df; --soft: #aaa396; --line: #38352f; --faint: #24221f; --edge: #7d766a;
    --accent: #7cc4cf; --warn: #ffc078; --warn-back: #33240f; --warn-line: #8a6226; --seed: #7cc4cf; --up: #8fd6a0;
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5; font-size: 16px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  overflow-wrap: anywhere;
}
header, main, footer { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
h1, h2, h3 { font-family: "Iowan Old Style", "Palatino Linotype", Palatino, "Liberation Serif", Georgia, serif;
  font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: 2.6rem; margin: .1em 0 .35em; letter-spacing: -.01em; }
h2 { font-size: 1.5rem; margin: 3.2rem 0 .4rem; }
h3 { font-size: 1.12rem; margin: 0; }
p { margin: .4rem 0 .8rem; max-width: 46rem; }
a { color: var(--accent); text-underline-offset: .15em; }
.eyebrow { margin: 2.6rem 0 0; font-size: .8rem; letter-spacing: .09em; text-transform: uppercase; color: var(--soft); }
.soft { color: var(--soft); }
.small { font-size: .85rem; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; font-size: .92rem; padding: .7rem 0; border-block: 1px solid var(--line); }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
dl.facts { display: flex; flex-wrap: wrap; gap: .8rem 2.4rem; margin: 0 0 1.4rem; }
dl.facts dt { font-size: .78rem; color: var(--soft); }
dl.facts dd { margin: 0; font-weight: 550; font-variant-numeric: tabular-nums; }
.headline { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(12rem, 46%), 1fr)); gap: .8rem; margin: 1.2rem 0 1rem; padding: 0; list-style: none; }
.headline li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .65rem 1rem .7rem; min-width: 0; }
.headline strong { display: block; font-size: 1.9rem; line-height: 1.15; font-weight: 600; font-variant-numeric: tabular-nums; }
.headline strong small { font-size: 1rem; font-weight: 400; color: var(--soft); }
.headline span { font-size: .85rem; color: var(--soft); display: block; }
.warning { background: var(--warn-back); border: 1px solid var(--warn-line); border-left-width: .35rem; border-radius: .4rem;
  color: var(--ink); padding: .7rem 1rem; margin: 1rem 0; max-width: 60rem; }
.warning strong { color: var(--warn); }
.warning p, .note p { margin: .1rem 0; max-width: none; }
.warning ul, .note ul { margin: .3rem 0 0; padding-left: 1.2rem; }
.note { border-left: .2rem solid var(--line); padding: .1rem 0 .1rem .9rem; margin: .8rem 0; color: var(--soft); max-width: 60rem; font-size: .92rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); margin: .9rem 0; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; overflow-wrap: normal; }
caption { text-align: left; padding: .7rem .9rem .3rem; color: var(--soft); font-size: .85rem; }
th, td { padding: .42rem .42rem; text-align: right; vertical-align: top; font-weight: 400; white-space: nowrap; }
thead th { border-bottom: 1px solid var(--line); font-weight: 600; vertical-align: bottom; }
thead th small, .model small { display: block; font-weight: 400; font-size: .74rem; color: var(--soft); }
th:first-child, td:first-child { text-align: left; padding-left: .9rem; }
th:last-child, td:last-child { padding-right: .9rem; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
.board .model { position: sticky; left: 0; background: var(--card); z-index: 1; min-width: 8.5rem; max-width: 13rem; white-space: normal;
  overflow-wrap: anywhere; font-weight: 600; }
.board td b { font-size: 1.08rem; font-weight: 600; }
.board td small { display: block; font-size: .71rem; line-height: 1.35; color: var(--soft); }
.board td small.bad { color: var(--warn); font-weight: 700; }
.board td.bad { background: var(--warn-back); }
.board .average { background: var(--faint); }
.board td .long { white-space: normal; max-width: 7rem; margin-left: auto; }
.board td .why { white-space: normal; width: 6.5rem; margin-left: auto; overflow-wrap: anywhere; }
.board tbody.published th, .board tbody.published td { color: var(--soft); border-top: 0; padding-block: .16rem; }
.board tbody.published .model { font-weight: 400; min-width: 11.5rem; }
.board tbody.published .model small { display: inline; white-space: nowrap; }
.board tbody.published .model small.apart { display: block; white-space: normal; color: var(--warn); }
.board td small.printed { white-space: normal; font-size: .78rem; max-width: 5rem; margin-left: auto; }
.board tbody.published tr:last-child > * { padding-bottom: .6rem; }
.board tbody.published .label { text-align: left; color: var(--ink); border-top: 2px solid var(--ink); padding-block: .6rem .35rem; }
.board tbody.published .label span { position: sticky; left: .9rem; white-space: normal; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 33rem), 1fr)); gap: 1rem; margin-top: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .95rem 1.1rem .8rem; min-width: 0; break-inside: avoid; }
.card > p { margin: .1rem 0 .6rem; font-size: .85rem; color: var(--soft); }
.card .one { border-top: 1px solid var(--line); padding-top: .6rem; margin-top: .6rem; }
.card .who { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem; }
.card .who b { font-weight: 600; }
.card .who small { font-weight: 400; color: var(--soft); margin-left: .3rem; }
.card .unasked { border-top: 1px solid var(--line); padding-top: .5rem; margin: .6rem 0 0; font-size: .82rem; color: var(--soft); }
.card .who span { font-variant-numeric: tabular-nums; }
.card .who .value { font-size: 1.25rem; font-weight: 600; }
.card dl { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin: .25rem 0; font-size: .82rem; }
.card dl div { display: flex; gap: .35rem; }
.card dt { color: var(--soft); }
.card dd { margin: 0; font-variant-numeric: tabular-nums; }
.card .bad { color: var(--warn); font-weight: 600; }
.strip { display: block; margin: .3rem 0 .1rem; overflow: visible; }
.strip text { font-size: 11px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.strip .axis { stroke: var(--line); stroke-width: 1; }
.strip .seed { stroke: var(--seed); stroke-width: 2; stroke-opacity: .5; }
.strip .mean { stroke: var(--ink); stroke-width: 2.5; }
.strip line.published { stroke: var(--warn); stroke-width: 1.5; stroke-dasharray: 3 2; }
.strip text.published { fill: var(--warn); }
.failures { padding: 0; list-style: none; }
.failures li { border: 1px solid var(--line); background: var(--card); border-radius: .5rem; padding: .6rem .9rem; margin: .5rem 0; }
.failures code { display: block; margin-top: .2rem; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--warn); }
.reading { display: grid; grid-template-columns: minmax(0, 13rem) minmax(0, 44rem); gap: .55rem 1.4rem; }
.reading dt { font-weight: 600; }
.reading dd { margin: 0; }
footer { margin-top: 3.5rem; padding-top: 1rem; padding-bottom: 3rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); }
@media (max-width: 40rem) {
  header, main, footer { padding-inline: 1rem; }
  h1 { font-size: 2rem; }
  .board .model, .board tbody.published .model { min-width: 7.8rem; max-width: 7.8rem; }
  .board tbody.published .model small { display: block; margin: 0; white-space: normal; }
  .reading { grid-template-columns: 1fr; gap: .1rem; }
  .reading dd { margin-bottom: .7rem; }
}
@media print {
  :root, :root[data-theme] { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --faint: #f4f4f4; --accent: #000;
    --warn: #7a3300; --warn-back: #fff; --warn-line: #7a3300; --seed: #000; --up: #000; --edge: #bbb; color-scheme: light; }
  @page { size: A4 landscape; margin: 12mm; }
  body { font-size: 10pt; }
  nav { display: none; }
  header, main, footer { max-width: none; padding-inline: 0; }
  .scroll { overflow: visible; border: 0; }
  table { font-size: 8.5pt; }
  .model, .label span, tbody th, thead th { position: static !important; }
  h2 { break-after: avoid; }
  tr, .failures li { break-inside: avoid; }
}
"""
