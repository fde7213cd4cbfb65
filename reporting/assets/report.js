"use strict";
/* The report's behaviour: sorting, filtering, comparing, and every example behind the scores.
   Text from outside goes through shown() into text nodes and nowhere else; the page's policy forbids the rest. */
(() => {
  const core = JSON.parse(document.getElementById("core").textContent);
  const PAGE = 50; // examples of one screen of the list
  const BRIEF = 400; // characters of references that are shown beside the answers
  const LONG = 20000; // characters shown of a text before one asks for the rest
  const KEPT_CHUNKS = 40; // opened chunks that are remembered
  const SIGNIFICANT = 0.05;
  const FEWEST = 6; // groups of documents; with fewer no permutation test gives a p below SIGNIFICANT
  const $ = (id) => document.getElementById(id);

  // --- text and elements ---------------------------------------------------------------------------------------------

  const SIGNS = /[\p{C}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu;
  const MARKS = /([\p{Mn}\p{Me}]{3})[\p{Mn}\p{Me}]+/gu;

  /* Control, bidirectional and shapeless characters as signs, like reporting/text.py; line ends and tabs stay. */
  function shown(text) {
    if (/^[\n\t\x20-\x7e]*$/.test(text)) return text;
    return text
      .replace(SIGNS, (c) => (c === "\n" || c === "\t" ? c : `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`))
      .replace(MARKS, "$1");
  }

  function el(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value === undefined || value === null || value === false) continue;
      if (name === "class") made.className = value;
      else if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
      else if (name in made && typeof value !== "string") made[name] = value;
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((one) => one !== null && one !== undefined));
    return made;
  }
  const clear = (node, ...children) => { node.replaceChildren(...children.filter((one) => one !== null)); return node; };
  /* Decimals as Python rounds them in the rest of the page: a tie (only odd multiples of a power of two are one) to even. */
  function fixed(value, places) {
    const tie = Math.abs((value * 2 ** (places + 1)) % 2) === 1;
    if (!tie) return value.toFixed(places);
    const scaled = Math.floor(Math.abs(value) * 10 ** places);
    return ((Math.sign(value) * (scaled + (scaled % 2))) / 10 ** places).toFixed(places);
  }
  const number = (value, places = 1) => (value === null || value === undefined ? "–" : fixed(value, places));
  const signed = (value, places = 1) => {
    const text = fixed(Math.abs(value), places);
    return Number(text) === 0 ? text : (value > 0 ? "+" : "−") + text;
  };
  const count = (value) => (value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-US"));
  const say = (text) => { $("said").textContent = text; };
  const short = (text, most) => { const cut = shown(text.slice(0, most)); return text.length > most ? `${cut}…` : cut; };

  function option(value, text, chosen) {
    const made = el("option", { value: String(value) }, text);
    made.selected = chosen;
    return made;
  }

  /* A text in blocks that the browser lays out when they come into view; a long one up to LONG characters at first. */
  function textBox(text, label, whole = false) {
    const box = el("div", { class: "text", dir: "auto", tabindex: "0", role: "region", "aria-label": label });
    const length = text.length;
    const part = whole || length <= LONG ? text : text.slice(0, LONG);
    for (const block of blocks(shown(part))) box.append(el("div", { class: "block" }, block));
    if (!text) box.append(el("p", { class: "soft" }, "(no text)"));
    if (part.length < length) {
      const more = el("button", { type: "button", class: "more" }, `Show all ${count(length)} characters`);
      more.addEventListener("click", () => { const all = textBox(text, label, true); box.replaceWith(all); all.focus(); });
      box.append(more);
    }
    return box;
  }

  function* blocks(text) {
    for (let from = 0; from < text.length;) {
      let to = text.length;
      if (to - from > 6000) {
        const end = text.indexOf("\n", from + 4000);
        to = end < 0 ? text.length : end + 1;
      }
      yield text.slice(from, to < text.length ? to - 1 : to); // the block's own end is the line's
      from = to;
    }
  }

  // --- chunks --------------------------------------------------------------------------------------------------------

  const url = window.trustedTypes
    ? window.trustedTypes.createPolicy("scrollwork", { createScriptURL: (name) => name })
    : { createScriptURL: (name) => name };
  const opened = new Map();
  const coming = new Map();
  const parsed = document.readyState === "loading"
    ? new Promise((done) => document.addEventListener("DOMContentLoaded", done)) : Promise.resolve();

  window.scrollworkData = (name, data) => {
    const waiting = coming.get(name);
    coming.delete(name);
    if (waiting) waiting(data);
  };

  function fetched(name) {
    return new Promise((done, failed) => {
      coming.set(name, done);
      const script = document.createElement("script");
      script.src = url.createScriptURL(`${core.folder}/${name}.js`.split("/").map(encodeURIComponent).join("/"));
      const lost = (why) => { coming.delete(name); failed(new Error(`${core.folder}/${name}.js ${why}`)); };
      script.onerror = () => lost(`cannot be opened. Is the folder ${core.folder.split("/")[0]} beside this page?`);
      script.onload = () => { script.remove(); if (coming.has(name)) lost("is damaged. Make the report again."); };
      document.head.append(script);
    });
  }

  async function unpack(name) {
    if (!window.DecompressionStream) throw new Error("This browser cannot decompress the examples; one of 2023 or later can.");
    await parsed;
    const block = $(`chunk-${name}`);
    const data = block ? block.textContent : await fetched(name);
    try {
      const raw = atob(data);
      const bytes = new Uint8Array(raw.length);
      for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      return JSON.parse(await new Response(stream).text());
    } catch { throw new Error(`The part ${name} of the data is damaged. Make the report again.`); }
  }

  function chunk(name) {
    const known = opened.get(name);
    opened.delete(name);
    const promise = known || unpack(name);
    opened.set(name, promise); // read last stands last
    promise.catch(() => opened.delete(name));
    if (opened.size > KEPT_CHUNKS) opened.delete(opened.keys().next().value);
    return promise;
  }

  async function entry(prefix, at, row) {
    return at === null || at === undefined ? null : (await chunk(`${prefix}${at}`))[row] ?? null;
  }

  // --- light and dark ------------------------------------------------------------------------------------------------

  const THEMES = { "": "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  function theme(name) {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    $("theme").textContent = THEMES[name];
    try { localStorage.setItem("scrollwork-theme", name); } catch { /* a page from a file may keep nothing */ }
  }
  function kept() {
    try { return localStorage.getItem("scrollwork-theme") || ""; } catch { return ""; }
  }
  $("theme").addEventListener("click", () => {
    const names = Object.keys(THEMES);
    theme(names[(names.indexOf(document.documentElement.dataset.theme || "") + 1) % names.length]);
  });
  theme(Object.hasOwn(THEMES, kept()) ? kept() : "");

  // --- lines and comparisons -----------------------------------------------------------------------------------------

  const lines = []; // of all splits, by label
  core.sections.forEach((section) => section.lines.forEach((line) => {
    if (!lines.some((one) => one.label === line.label)) lines.push(line);
  }));
  const inSection = (section, label) => section.lines.findIndex((line) => line.label === label);

  /* How line a stands against line b on a task ("" for the mean over tasks), as stage compare says; null where nothing does. */
  function compared(section, task, a, b) {
    for (const test of core.comparisons) {
      if (test.split !== section.split || test.task !== task) continue;
      const [one, other] = [section.lines[test.one], section.lines[test.other]];
      if (one === a && other === b) return test;
      if (one === b && other === a) {
        return { ...test, value: test.other_value, other_value: test.value, difference: -test.difference,
          low: test.high === null ? null : -test.high, high: test.low === null ? null : -test.low };
      }
    }
    return null;
  }
  const chance = (test) => (test.task ? test.p_holm : test.p);
  const mark = (test) => {
    const p = test && chance(test);
    if (p === null || p === undefined) return "";
    return p >= SIGNIFICANT ? "≈" : test.difference > 0 ? "▲" : "▼";
  };
  const between = (test) => `${signed(test.low)} to ${signed(test.high)}`;
  const told = (p) => (p === null || p === undefined ? "–" : p < 0.001 ? "< 0.001" : p.toFixed(3));

  // --- the leaderboards ----------------------------------------------------------------------------------------------

  const boards = [...document.querySelectorAll("table.board[data-section]")];
  for (const table of boards) {
    for (const head of table.tHead.querySelectorAll("th[data-key]")) {
      const button = el("button", { type: "button", class: "sort" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBoard(table, head));
    }
  }

  function sortBoard(table, head) {
    const falling = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") !== "descending" : head.dataset.key !== "model";
    for (const one of table.tHead.querySelectorAll("th")) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const place = head.cellIndex;
    const value = (row) => {
      const cell = row.cells[place];
      if (head.dataset.key === "model") return row.dataset.label;
      return cell.dataset.value ? Number(cell.dataset.value) : null;
    };
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((one, two) => {
      const a = value(one); const b = value(two);
      if (a === null || b === null) return (a === null) - (b === null); // what has no score stands last either way
      const order = typeof a === "string" ? a.localeCompare(b, "en") : a - b;
      return falling ? -order : order;
    });
    body.append(...rows);
    say(`Sorted by ${head.dataset.key}, ${falling ? "falling" : "rising"}.`);
  }

  function filterBoards() {
    const words = $("models-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    let own = 0;
    for (const row of document.querySelectorAll("table.board tr[data-label]")) {
      row.hidden = !words.every((word) => row.dataset.label.toLowerCase().includes(word));
      left += !row.hidden;
      own += !row.hidden && "line" in row.dataset;
    }
    $("no-models").hidden = own > 0;
    say(`${left} rows shown.`);
  }

  function markBoards() {
    const reference = lines.find((line) => line.label === $("reference").value);
    $("marks").hidden = !reference;
    for (const table of boards) {
      const section = core.sections[Number(table.dataset.section)];
      table.querySelectorAll(".delta").forEach((one) => one.remove());
      const against = reference && section.lines[inSection(section, reference.label)];
      for (const row of table.querySelectorAll("tr[data-line]")) {
        const line = section.lines[Number(row.dataset.line)];
        row.classList.toggle("reference", line === against);
        if (!against || line === against) continue;
        const cells = [[line.average, against.average, ""], ...line.cells.map((cell, place) => [cell.value, against.cells[place].value, cell.task])];
        cells.forEach(([value, other, task], place) => {
          if (value === null || other === null) return;
          const test = compared(section, task, line, against);
          const difference = test ? test.difference : value - other;
          const sign = mark(test);
          const said = !sign ? "not tested" : `${sign === "≈" ? "no significant difference" : "significant"} by the permutation test, p ${told(chance(test))}${test.low === null ? "" : `; 95 % interval ${between(test)}`}`;
          const small = el("small", { class: `delta ${{ "▲": "up", "▼": "down" }[sign] || ""}`, title: said }, `${sign || "Δ"} ${signed(difference)}`);
          small.append(el("span", { class: "unseen" }, ` against ${shown(against.label)}: ${said}`));
          row.cells[place + 1].append(small);
        });
      }
    }
  }

  if (boards.length) {
    $("board-tools").hidden = false;
    $("reference").append(option("", "nothing", true), ...lines.map((line) => option(line.label, shown(line.label), false)));
    $("models-filter").addEventListener("input", filterBoards);
    $("reference").addEventListener("change", () => {
      markBoards();
      say($("reference").value ? `Differences to ${shown($("reference").value)} are shown in the cells.` : "Differences are hidden.");
    });
    $("published-rows")?.addEventListener("change", () => {
      document.querySelectorAll("[data-section] tbody.published").forEach((one) => { one.hidden = !$("published-rows").checked; });
    });
  }

  // --- two models, task by task --------------------------------------------------------------------------------------

  const state = { group: 0, a: lines[0]?.label ?? "", b: "", filter: "", only: "all", sort: "row", falling: false, from: 0, row: null };
  const ranked = lines.filter((line) => !line.bound);
  if (ranked.length > 1) { state.a = ranked[0].label; state.b = ranked[1].label; }

  function chooseLine(select, value, none) {
    clear(select, none ? option("", none, !value) : null, ...lines.map((line) => option(line.label, shown(line.label), line.label === value)));
  }

  /* Where test and interval say different things, and where the test could not say anything. */
  function doubts(test) {
    const p = chance(test);
    const found = [];
    if (test.clusters < FEWEST) found.push(`${count(test.clusters)} ${test.clusters === 1 ? "document" : "documents"}: too few to be significant`);
    else if (p !== null && test.low !== null && (p < SIGNIFICANT) === (test.low <= 0 && test.high >= 0)) {
      found.push(`test and interval disagree: p ${p < SIGNIFICANT ? "is below" : "is not below"} 0.05, the interval ${p < SIGNIFICANT ? "holds 0" : "does not hold 0"}`);
    }
    if (test.left_out) found.push(`${count(test.left_out)} inputs left out: not answered by both`);
    return found.join("; ");
  }

  function showPair() {
    const section = core.sections.find((one) => one.split === core.groups[state.group]?.split) || core.sections[0];
    const a = section.lines[inSection(section, state.a)];
    const b = section.lines[inSection(section, state.b)];
    const table = $("pair");
    const none = !state.b ? "Choose a second model." : `${[[a, state.a], [b, state.b]].filter(([one]) => !one).map(([, label]) => label).join(" and ")} has no scores on split ${section.split}.`;
    const there = a && b && a !== b;
    $("pair-box").hidden = !there;
    $("pair-none").hidden = there;
    $("pair-none").textContent = none;
    $("pair-split").textContent = core.sections.length > 1 ? `Split ${section.split}. ` : "";
    if (!there) return;
    const rows = [["", "average", a.average, b.average], ...a.cells.map((cell, place) => [cell.task, cell.task, cell.value, b.cells[place].value])];
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
        el("td", {}, test && test.low !== null ? between(test) : "–"),
        el("td", { class: { "▲": "up", "▼": "down" }[sign] || "" }, test ? `${sign} ${told(chance(test))}`.trim() : difference === null ? "–" : "not tested"),
        el("td", {}, test && test.detectable !== null ? number(test.detectable) : "–"),
        el("td", {}, test ? count(test.inputs) : "–"), el("td", { class: "remarks" }, test ? doubts(test) : ""));
    }));
  }

  // --- the list of examples ------------------------------------------------------------------------------------------

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
    better: ["first model better", (r, a, b) => both(a, b, r) && a.value[r] > b.value[r]],
    worse: ["second model better", (r, a, b) => both(a, b, r) && a.value[r] < b.value[r]],
  };

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
      const open = el("button", { type: "button", class: "link", "data-row": String(r) }, el("bdi", {}, short(index.ids[r], 60)), index.draws ? `, draw ${index.draws[r]}` : "");
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
    showPair();
    list();
    if (scroll) $("examples-title").scrollIntoView();
  }

  // --- one example ---------------------------------------------------------------------------------------------------

  const dialog = $("example");
  const TABS = ["answers", "references", "prompt", "document"];
  let tab = "answers";
  let opening = 0;
  let left = Promise.resolve(); // the way back from an example that was closed
  let gone = false; // it was closed by the way back

  /* focus: the label of a control that is made anew and shall have the focus again. */
  async function openExample(row, focus = "") {
    const own = (opening += 1);
    const group = core.groups[state.group];
    state.row = row;
    if (!dialog.open) {
      dialog.showModal();
      $("example-title").focus();
    }
    await left;
    const hash = `#example/${encodeURIComponent(group.task)}/${encodeURIComponent(group.split)}/${row}`;
    if (own === opening && dialog.open && location.hash !== hash) {
      if (location.hash.startsWith("#example/")) history.replaceState(history.state, "", hash);
      else history.pushState({ example: true }, "", hash); // so that the way back closes it
    }
    try {
      const index = await chunk(`${group.name}.i`);
      const example = await entry(`${group.name}.e`, index.examples[row], index.rows[row]);
      if (own !== opening || !dialog.open) return;
      clear($("example-title"), `${shown(group.task)} · `, el("bdi", {}, short(index.ids[row], 120)), index.draws ? `, draw ${index.draws[row]}` : "");
      const place = (state.rows || []).indexOf(row);
      for (const [name, ends] of [["previous", place <= 0], ["next", place < 0 || place + 1 >= state.rows.length]]) {
        if (ends && document.activeElement === $(name)) $("example-title").focus(); // a button that is disabled loses it
        $(name).disabled = ends;
      }
      for (const name of TABS) {
        $(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
        $(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
      }
      $("example-body").setAttribute("aria-labelledby", `tab-${tab}`);
      const made = await { answers: answersPane, references: referencesPane, prompt: promptPane, document: documentPane }[tab](group, index, example, row);
      if (own !== opening) return;
      clear($("example-body"), ...made);
      $("example-body").scrollTop = 0;
      if (focus) [...$("example-body").querySelectorAll("select")].find((one) => one.getAttribute("aria-label") === focus)?.focus();
      if (!dialog.contains(document.activeElement)) $("example-title").focus();
      document.body.dataset.opened = `${group.name}/${row}/${tab}`;
    } catch (error) { if (own === opening) problem(error); }
  }

  /* A choice of model within an example. of: which of the two it is, "a" or "b". */
  function modelChoice(name, of, label, row) {
    const select = el("select", { "aria-label": name });
    chooseLine(select, label, of === "b" ? "no second model" : null);
    select.addEventListener("change", () => { choose(of, select.value); openExample(row, name); });
    return select;
  }

  async function answersPane(group, index, example, row) {
    const labels = state.b && state.b !== state.a ? [state.a, state.b] : [state.a];
    const query = example && example[2] ? [el("h3", {}, "Query"), textBox(example[2], "Query")] : [];
    const columns = await Promise.all(labels.map(async (label, place) => {
      const column = el("section", { class: "answer", "aria-label": `${place ? "second" : "first"} model` });
      column.append(place ? modelChoice("Second model", "b", label, row) : modelChoice("First model", "a", label, row));
      if (labels.length === 1 && lines.length > 1) column.append(" ", modelChoice("Second model", "b", "", row));
      const line = lineIn(index, group, label);
      const answers = line ? await entry(`${group.name}.a${index.lines.indexOf(line)}-`, line.at[row], row) : null;
      if (!line || line.state[row] === ".") column.append(el("p", { class: "soft" }, "This model was not asked."));
      else if (!answers) column.append(el("p", { class: "warning" }, "No answer: missing."));
      else column.append(...answerBoxes(line, answers));
      return column;
    }));
    const references = example ? example[4] : [];
    if (references.length && references.join("").length <= BRIEF) {
      query.push(el("h3", {}, references.length === 1 ? "Reference" : "References"), textBox(references.join("\n"), "References"));
    }
    return [...query, el("div", { class: `answers of-${labels.length}` }, ...columns)];
  }

  function answerBoxes(line, answers) {
    const place = el("div");
    const draw = (chosen) => clear(place, ...answerBox(line, answers[chosen]));
    draw(0);
    if (answers.length === 1) return [place];
    const select = el("select", { "aria-label": "Seed" }, ...answers.map((one, at) => {
      const score = one[1] === null ? "failed" : one.length > 9 ? number(one[9]) : "not scored";
      return option(at, `${shown(line.members[one[0]])}: ${score}`, at === 0);
    }));
    select.addEventListener("change", () => draw(Number(select.value)));
    return [select, place];
  }

  function facts(pairs) {
    const shown_ = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return el("dl", { class: "facts small" }, ...shown_.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  }

  const KNOWN = Object.keys(core.metrics);
  const inOrder = (names) => [...names].sort((a, b) => (KNOWN.indexOf(a) + 1 || 99) - (KNOWN.indexOf(b) + 1 || 99));

  function answerBox(line, one) {
    if (one[1] === null) {
      const [, , kind, status, message, attempts] = one;
      return [el("p", { class: "warning" }, el("strong", {}, "No answer. "), `The call failed (${kind}).`),
        facts([["status", status === null ? null : String(status)], ["attempts", count(attempts)]]), textBox(message, "Message of the failure")];
    }
    const [, text, finish, input, cached, output, reported, attempts, cost, value, components, flags, read] = one;
    const made = [];
    if (value !== undefined) {
      made.push(el("p", { class: "score" }, el("strong", {}, number(value, 2)), ` ${line.components.length > 1 ? "" : shown(core.metrics[line.components[0]] || "")}`));
      made.push(facts([
        ...(components.length > 1 ? inOrder(line.components).map((name) => [shown(core.metrics[name] || name), number(components[line.components.indexOf(name)], 2)]) : []),
        ...Object.entries(flags || {}).map(([name, is]) => [shown(name.replaceAll("_", " ")), is ? "yes" : "no"]),
      ]));
    } else made.push(el("p", { class: "soft" }, "Not scored: the references are not public or cannot be scored."));
    if (finish !== "complete") made.push(el("p", { class: "warning" }, `This answer was ${ENDED[finish] || finish}.`));
    made.push(el("h3", {}, "Answer"), textBox(text, "Answer"));
    if (read !== undefined && read !== text && (read !== null || "format_ok" in (flags || {}))) {
      made.push(el("h3", {}, "Read by the metric"));
      made.push(read === null ? el("p", { class: "soft" }, "Nothing: the metric found no answer in the text.") : textBox(read, "Parsed answer"));
    }
    made.push(facts([
      ["words", count(text.split(/\s+/).filter(Boolean).length)], ["finished", finish === "complete" ? "by itself" : ENDED[finish] || finish],
      ["input tokens", input === null ? null : count(input)], ["of them cached", cached === null ? null : count(cached)],
      ["output tokens", output === null ? null : count(output)], ["attempts", attempts === null ? null : count(attempts)],
      ["cost", !cost ? null : `$${(cost / 1e9).toPrecision(3)}`], ["model as reported", short(line.reported[reported] || "", 120)],
    ]));
    return made;
  }

  function spaced(json) {
    try { return JSON.stringify(JSON.parse(json), null, 1); } catch { return json; } // Python writes NaN, which is no JSON
  }

  async function referencesPane(group, index, example) {
    if (!example) return [el("p", {}, "Nothing is known of this input.")];
    const [, titles, query, options, references, metadata] = example;
    const made = query ? [el("h3", {}, "Query"), textBox(query, "Query")] : [];
    if (options.length) made.push(el("h3", {}, "Options"), el("ol", { class: "options" }, ...options.map((one) => el("li", {}, el("bdi", {}, short(one, 2000))))));
    made.push(el("h3", {}, references.length === 1 ? "Reference" : `References (${references.length})`));
    if (!references.length) made.push(el("p", { class: "soft" }, "None that is public."));
    references.forEach((one, place) => made.push(textBox(one, `Reference ${place + 1}`)));
    if (titles.length) made.push(el("h3", {}, "Titles"), el("ul", {}, ...titles.map((one) => el("li", {}, el("bdi", {}, short(one, 500))))));
    if (metadata !== "{}") made.push(el("details", {}, el("summary", {}, "Metadata"), textBox(spaced(metadata), "Metadata")));
    return made;
  }

  async function promptOf(group, index, row) {
    const line = lineIn(index, group, state.a) || index.lines[0];
    const set = line ? line.prompts : 0;
    return { line, set: index.prompts[set], prompt: index.prompts[set] ? await entry(`${group.name}.p${set}-`, index.prompts[set].at[row], row) : null };
  }

  /* Whose prompt it is, to be changed. */
  function sentTo(group, line, row) {
    const section = core.sections.find((one) => one.split === group.split);
    const label = line ? section.lines[line.line].label : state.a;
    return el("p", { class: "whose" }, "As sent to ", modelChoice("Model of this prompt", "a", label, row));
  }

  async function textsOf(index, numbers) {
    const found = new Map();
    await Promise.all([...new Set(numbers)].map(async (place) => {
      const [at, name] = index.documents[place];
      found.set(place, (await chunk(`d${at}`))[name]);
    }));
    return found;
  }

  async function promptPane(group, index, example, row) {
    const { line, set, prompt } = await promptOf(group, index, row);
    const whose = sentTo(group, line, row);
    if (!prompt) return [whose, el("p", {}, "There is no prompt of this input.")];
    const [parts, , digest, words, document_, kept_, whole, most, keptChars, cutChars] = prompt;
    const texts = await textsOf(index, parts.filter((part) => part.length > 2).map((part) => part[1]));
    const box = el("div", { class: "text prompt", dir: "auto", tabindex: "0", role: "region", "aria-label": "Prompt as sent" });
    for (const part of parts) {
      const role = index.roles[part[0]];
      const text = part.length > 2 ? texts.get(part[1]).slice(part[2], part[3]) : part[1];
      const span = el("span", { class: `part ${part.length > 2 ? "span" : role}`, title: role.replaceAll("_", " ") });
      if (text.length <= LONG) span.append(shown(text));
      else {
        const half = LONG / 2;
        const more = el("button", { type: "button", class: "more" }, `${count(text.length - LONG)} characters more: show`);
        more.addEventListener("click", () => { span.replaceChildren(shown(text)); box.focus(); });
        span.append(shown(text.slice(0, half)), more, shown(text.slice(-half)));
      }
      box.append(span);
    }
    return [whose, facts([
      ["prompts", `${shown(set.profile)}, ${shown(set.arm)}`], ["words", count(words)], ["tokens", whole === null ? null : count(whole)],
      ["document tokens kept", kept_ === null ? null : `${count(kept_)} of ${count(document_)}`],
      ["document characters kept", cutChars ? `${count(keptChars)} of ${count(keptChars + cutChars)}` : null],
      ["most new tokens", count(most)], ["sha256", el("code", {}, digest)],
    ]), cutChars ? el("p", { class: "warning" }, el("strong", {}, "Cut. "), "The document did not fit; what was left out is marked under Document.") : null, box];
  }

  async function documentPane(group, index, example, row) {
    const { line, prompt } = await promptOf(group, index, row);
    const numbers = example ? example[0] : [];
    const texts = await textsOf(index, numbers);
    const sent = prompt ? prompt[0].filter((part) => part.length > 2) : [];
    const places = prompt ? [["answer", prompt[10]], ["evidence", prompt[11]]].filter(([, at]) => at) : [];
    const made = [sentTo(group, line, row), places.length ? facts(places.map(([what, at]) => [`where the ${what} stands`, at])) : null];
    if (!prompt) made.push(el("p", { class: "note" }, "There is no prompt of this input; nothing was sent."));
    const different = [...new Set(numbers)];
    different.forEach((place, at) => {
      const [, , length, title] = index.documents[place];
      const text = texts.get(place);
      const kept_ = sent.filter((part) => part[1] === place).map((part) => [part[2], part[3]]).sort((x, y) => x[0] - y[0]);
      const found = [...pieces(length, kept_)];
      const gone = found.reduce((sum, [from, to, there]) => sum + (there ? 0 : to - from), 0);
      made.push(el("h3", {}, different.length > 1 ? `Document ${at + 1} of ${different.length}` : "Document", title ? ": " : "", title ? el("bdi", {}, short(title, 200)) : ""));
      made.push(el("p", { class: "small soft" }, `${count(length)} characters, ${!gone ? "all sent" : gone === length ? "none of them sent" : `${count(gone)} of them not sent`}`));
      if (!length) made.push(textBox("", "Document"));
      for (const [from, to, there] of found) {
        const piece = textBox(text.slice(from, to), there ? "Sent to the model" : "Not sent to the model");
        if (!there) {
          piece.classList.add("cut");
          made.push(el("p", { class: "cut-label" }, `✂ not sent: ${count(to - from)} characters`));
        }
        made.push(piece);
      }
    });
    return numbers.length ? made.filter(Boolean) : [el("p", {}, "No document is known.")];
  }

  /* A text as [from, to, whether it is in one of the spans], in order. */
  function* pieces(length, spans) {
    let from = 0;
    for (const [start, end] of spans) {
      if (start > from) yield [from, start, false];
      if (end > Math.max(from, start)) yield [Math.max(from, start), end, true];
      from = Math.max(from, end);
    }
    if (from < length) yield [from, length, false];
  }

  // --- controls ------------------------------------------------------------------------------------------------------

  /* Take a model as first ("a") or second ("b"); who chooses the other one changes their places. */
  function choose(of, label) {
    const other = of === "a" ? "b" : "a";
    if (label !== state[other]) state[of] = label;
    else if (state[of]) [state.a, state.b] = [state.b, state.a];
    synced();
  }

  function synced() {
    chooseLine($("first"), state.a, null);
    chooseLine($("second"), state.b, "none");
    showPair();
    list();
  }

  function step(by) {
    const place = (state.rows || []).indexOf(state.row) + by;
    if (state.rows && place >= 0 && place < state.rows.length) openExample(state.rows[place]);
  }

  function byHash() {
    const [kind, task, split, row] = location.hash.slice(1).split("/").map((one) => { try { return decodeURIComponent(one); } catch { return ""; } });
    if (kind !== "example") {
      if (dialog.open) { gone = true; dialog.close(); }
      return;
    }
    const place = core.groups.findIndex((one) => one.task === task && one.split === split);
    if (place < 0 || !/^\d+$/.test(row)) return;
    const there = dialog.open && state.group === place && state.row === Number(row);
    if (there || Number(row) >= core.groups[place].inputs) return;
    if (place !== state.group || !state.rows) openGroup(place, false);
    openExample(Number(row));
  }

  if (core.groups.length) {
    $("explorer").hidden = false;
    clear($("group"), ...core.groups.map((one, place) => option(place, `${shown(one.task)}${one.split === "test" ? "" : `, ${shown(one.split)}`} (${count(one.inputs)})`, place === 0)));
    clear($("only"), ...Object.entries(FILTERS).map(([name, [text]]) => option(name, text, name === "all")));
    $("group").addEventListener("change", () => openGroup(Number($("group").value), false));
    $("first").addEventListener("change", () => choose("a", $("first").value));
    $("second").addEventListener("change", () => choose("b", $("second").value));
    $("only").addEventListener("change", () => { state.only = $("only").value; state.from = 0; list(); });
    $("ids").addEventListener("input", () => { state.filter = $("ids").value; state.from = 0; list(); });
    $("before").addEventListener("click", () => { state.from -= PAGE; list(); });
    $("after").addEventListener("click", () => { state.from += PAGE; list(); });
    $("previous").addEventListener("click", () => step(-1));
    $("next").addEventListener("click", () => step(1));
    $("close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      const byWay = gone;
      gone = false;
      if (dialog.open) return; // and opened again meanwhile
      if (!byWay && location.hash.startsWith("#example/")) {
        if (history.state?.example) {
          left = new Promise((done) => window.addEventListener("popstate", done, { once: true }));
          history.back();
        } else history.replaceState(null, "", location.pathname + location.search);
      }
      const row = $("examples").querySelector(`[data-row="${state.row}"]`);
      if (row) row.focus();
    });
    dialog.addEventListener("keydown", (event) => {
      if (["SELECT", "INPUT"].includes(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "j") step(1);
      if (event.key === "k") step(-1);
    });
    for (const name of TABS) {
      const button = $(`tab-${name}`);
      button.addEventListener("click", () => { tab = name; openExample(state.row); });
      button.addEventListener("keydown", (event) => {
        const own = TABS.indexOf(name);
        const to = { ArrowRight: own + 1, ArrowLeft: own - 1 + TABS.length, Home: 0, End: TABS.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        tab = TABS[to % TABS.length];
        $(`tab-${tab}`).focus();
        openExample(state.row);
      });
    }
    window.addEventListener("hashchange", byHash);
    synced();
    byHash();
  }
  // what is folded is printed all the same
  const folded = () => [...document.querySelectorAll("details.beyond:not([open])")];
  let unfolded = [];
  window.addEventListener("beforeprint", () => { unfolded = folded(); unfolded.forEach((one) => { one.open = true; }); });
  window.addEventListener("afterprint", () => { unfolded.forEach((one) => { one.open = false; }); });
  document.documentElement.dataset.ready = "yes";
})();
