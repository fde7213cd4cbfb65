/* Two models, task by task, and the list of a task's examples. */

const PAGE = 50; // examples of one screen of the list

const state = { section: 0, group: 0, a: lines[0]?.label ?? "", b: "", filter: "", only: "all", sort: "row", falling: false, from: 0, row: null };
const ranked = lines.filter((line) => !line.bound);
if (ranked.length > 1) { state.a = ranked[0].label; state.b = ranked[1].label; }

function chooseLine(select, value, none) {
  clear(select, none ? option("", none, !value) : null, ...lines.map((line) => option(line.label, shown(line.label), line.label === value)));
}

/* Where test and interval say different things, and where the test could not say anything. */
function doubts(test) {
  const p = chance(test);
  const found = [];
  if (test.interval_note) found.push(test.interval_note);
  if (test.clusters >= FEWEST && p !== null && test.low !== null && (p < SIGNIFICANT) === (test.low <= 0 && test.high >= 0)) {
    found.push(`test and interval disagree: p ${p < SIGNIFICANT ? "is below" : "is not below"} 0.05, the interval ${p < SIGNIFICANT ? "holds 0" : "does not hold 0"}`);
  }
  if (test.left_out) found.push(`${count(test.left_out)} inputs left out: not answered by both`);
  return found.join("; ");
}

function showPair() {
  const section = core.sections[state.section];
  const a = section.lines[inSection(section, state.a)];
  const b = section.lines[inSection(section, state.b)];
  const table = $("pair");
  const none = !state.b ? "Choose a second model." : `${[[a, state.a], [b, state.b]].filter(([one]) => !one).map(([, label]) => label).join(" and ")} has no scores on split ${section.split}.`;
  const there = a && b && a !== b;
  $("pair-box").hidden = !there;
  $("pair-none").hidden = there;
  $("pair-none").textContent = none;
  if (!there) return;
  const whole = core.ranked ? [] : [["", "average", a.average, b.average]]; // ranks are no scores to be compared
  const rows = [...whole, ...a.cells.map((cell, place) => [cell.task, cell.task, cell.value, b.cells[place].value])];
  const names = ["task", el("bdi", {}, a.label), el("bdi", {}, b.label), "difference", "95 % interval", "test: p", "detectable", "inputs", "remarks"];
  clear(table.tHead, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name))));
  clear(table.tBodies[0], ...rows.map(([task, name, one, other]) => {
    const test = compared(section, task, a, b);
    const group = core.groups.findIndex((at) => at.task === task && at.split === section.split);
    const open = group < 0 ? name : el("button", { type: "button", class: "link", on: { click: () => { openGroup(group, true); } } }, name);
    const left = test ? test.value : one;
    const right = test ? test.other_value : other;
    const difference = left === null || right === null ? null : left - right;
    const sign = mark(test);
    return el("tr", {},
      el("th", { scope: "row" }, open),
      el("td", {}, number(left)), el("td", {}, number(right)),
      el("td", {}, difference === null ? "–" : signed(difference)),
      el("td", {}, test && test.low !== null ? `${between(test)}${test.interval_note && " ⚠"}` : "–"),
      el("td", { class: { "▲": "up", "▼": "down" }[sign] || "" }, test ? `${sign} ${told(chance(test))}`.trim() : difference === null ? "–" : "not tested"),
      el("td", {}, test && test.detectable !== null ? number(test.detectable) : "–"),
      el("td", {}, test ? count(test.inputs) : "–"), el("td", { class: "remarks" }, test ? doubts(test) : ""));
  }));
}

const WHAT = { a: "answered", f: "failed", m: "missing", g: "answered, without gold", ".": "not asked" };
const ENDED = { length: "cut at the output limit", refused: "refused", filtered: "filtered", context: "ended by the context" };

/* What a group's index says of a line, null where it has nothing. */
function lineIn(index, group, label) {
  const section = core.sections.find((one) => one.split === group.split);
  const place = section ? inSection(section, label) : -1;
  return index.lines.find((one) => one.line === place) || null;
}

const both = (a, b, r) => a && b && a.value[r] !== null && b.value[r] !== null;
const FILTERS = {
  all: ["all", () => true],
  unanswered: ["not answered", (r, a, b) => [a, b].some((one) => one && "fm".includes(one.state[r]))],
  zero: ["first model’s score 0", (r, a) => a && a.value[r] === 0],
  full: ["first model’s score 100", (r, a) => a && a.value[r] !== null && a.value[r] > 99.999],
  cut: ["prompt cut", (r, a, b, index) => [a, b].some((one) => one && index.prompts[one.prompts].cut[r] === "1")],
  ended: ["answer not whole", (r, a, b) => [a, b].some((one) => one && Object.values(one.ended).some((rows) => rows.includes(r)))],
  ...(core.observed ? {
    whole: ["whole contexts", (r, a, b, index) => !index.windows || index.windows[r]?.[0] === index.windows[r]?.[2]],
    parts: ["parts of contexts", (r, a, b, index) => index.windows?.[r]?.[2] > 0 && index.windows[r][0] !== index.windows[r][2]],
    closed: ["closed book", (r, a, b, index) => index.windows?.[r]?.[2] === 0],
  } : {}),
  better: ["first model better", (r, a, b) => both(a, b, r) && a.value[r] > b.value[r]],
  worse: ["second model better", (r, a, b) => both(a, b, r) && a.value[r] < b.value[r]],
};

/* What sets an input apart from others of the same example: the part of its context that is shown, or its draw. */
function drawOf(index, r) {
  const window_ = index.windows?.[r];
  if (!window_) return index.draws ? `, draw ${index.draws[r]}` : "";
  const [units, first, length] = window_;
  const [one, many] = index.unit;
  if (!length) return ", closed book";
  if (length === units) return ", whole context";
  return length > 1 ? `, ${many} ${count(first + 1)}–${count(first + length)} of ${count(units)}` : `, ${one} ${count(first + 1)} of ${count(units)}`;
}

let listing = 0;
async function list() {
  const own = (listing += 1);
  const group = core.groups[state.group];
  let index;
  try { index = await chunk(`${group.name}.i`); } catch (error) { problem(error); return; }
  if (own !== listing) return; // another choice was made meanwhile
  $("problem").hidden = true;
  const a = lineIn(index, group, state.a);
  const b = state.b === state.a ? null : lineIn(index, group, state.b);
  const keep = FILTERS[state.only][1];
  const wanted = state.filter.toLowerCase();
  const difference = (r) => (both(a, b, r) ? a.value[r] - b.value[r] : null);
  const columns = {
    row: (r) => r, words: (r) => index.words[r], a: (r) => (a ? a.value[r] : null), b: (r) => (b ? b.value[r] : null),
    difference, out: (r) => (a ? a.words[r] : null),
  };
  const value = columns[state.sort] || columns.row;
  const rows = index.ids.map((id, r) => r).filter((r) => keep(r, a, b, index) && (!wanted || index.ids[r].toLowerCase().includes(wanted)));
  rows.sort((one, two) => {
    const x = value(one); const y = value(two);
    if (x === null || y === null) return (x === null) - (y === null) || one - two;
    return (state.falling ? y - x : x - y) || one - two;
  });
  state.rows = rows;
  state.index = index;
  state.from = Math.min(state.from, Math.max(0, Math.floor((rows.length - 1) / PAGE) * PAGE));
  drawList(index, group, a, b, difference);
}

function drawList(index, group, a, b, difference) {
  const rows = state.rows;
  const heads = [["row", "example"], ["words", "document words"], ["a", a ? el("bdi", {}, shown(state.a)) : "no model"]];
  if (b) heads.push(["b", el("bdi", {}, shown(state.b))], ["difference", "difference"]);
  heads.push(["out", b ? "answer words, first" : "answer words"]);
  const table = $("examples");
  clear(table.tHead, el("tr", {}, ...heads.map(([key, name]) => {
    const button = el("button", { type: "button", class: "sort" }, name);
    button.addEventListener("click", () => {
      state.falling = state.sort === key ? !state.falling : key !== "row";
      state.sort = key; state.from = 0;
      list().then(() => $("examples").tHead.querySelector(`[data-key="${key}"] button`).focus());
    });
    return el("th", { scope: "col", "data-key": key, "aria-sort": state.sort === key ? (state.falling ? "descending" : "ascending") : null }, button);
  }), el("th", { scope: "col" }, "remarks")));
  const some = rows.slice(state.from, state.from + PAGE);
  clear(table.tBodies[0], ...some.map((r) => {
    const open = el("button", { type: "button", class: "link", "data-row": String(r) }, el("bdi", {}, short(index.ids[r], 60)), drawOf(index, r));
    open.addEventListener("click", () => openExample(r));
    const delta = difference(r);
    const cells = [el("th", { scope: "row" }, open), el("td", {}, count(index.words[r])), el("td", {}, scoreOf(a, r))];
    if (b) cells.push(el("td", {}, scoreOf(b, r)), el("td", {}, delta === null ? "–" : signed(delta)));
    cells.push(el("td", {}, a ? count(a.words[r]) : "–"), el("td", { class: "remarks" }, remarks(index, a, b, r)));
    return el("tr", {}, ...cells);
  }));
  $("examples-count").textContent = rows.length
    ? `${count(state.from + 1)}–${count(Math.min(state.from + PAGE, rows.length))} of ${count(rows.length)} examples${rows.length < index.ids.length ? ` (${count(index.ids.length)} in all)` : ""}`
    : `no example of ${count(index.ids.length)} is like this`;
  if (index.hidden) $("examples-count").textContent += `; not listed, but counted in all results: ${count(index.hidden)} more`;
  $("before").disabled = state.from === 0;
  $("after").disabled = state.from + PAGE >= rows.length;
}

const scoreOf = (line, r) => (!line ? "–" : "ag".includes(line.state[r]) || line.value[r] !== null ? number(line.value[r]) : WHAT[line.state[r]]);

function remarks(index, a, b, r) {
  const found = new Set();
  for (const line of [a, b]) {
    if (!line) continue;
    if ("fm".includes(line.state[r])) found.add(WHAT[line.state[r]]);
    if (index.prompts[line.prompts].cut[r] === "1") found.add("prompt cut");
    for (const [how, rows] of Object.entries(line.ended)) if (rows.includes(r)) found.add(ENDED[how] || how);
  }
  return [...found].join(", ");
}

function problem(error) {
  const box = $("example").open ? $("example-body") : $("problem");
  box.hidden = false;
  clear(box, el("p", { role: "alert" }, `The examples cannot be shown. ${shown(error.message)}`));
}

function openGroup(number_, scroll) {
  state.group = number_; state.from = 0;
  $("group").value = String(number_);
  list();
  if (scroll) $("examples-title").scrollIntoView();
}
