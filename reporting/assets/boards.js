/* Leaderboards: sorting, filtering, and differences to a chosen model. */

const SIGNIFICANT = 0.05;
const FEWEST = core.fewest; // groups of documents; with fewer no permutation test gives a p below SIGNIFICANT

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
        const said = !sign ? "not tested" : `${sign === "≈" ? "no significant difference" : "significant"} by the permutation test, p ${told(chance(test))}${test.low === null ? "" : `; 95 % interval ${between(test)}${test.interval_note && ` (${test.interval_note})`}`}`;
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
