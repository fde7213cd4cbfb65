/* One example: its answers. */

const BRIEF = 400; // characters of references that are shown beside the answers

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
    clear($("example-title"), `${shown(group.task)} · `, el("bdi", {}, short(index.ids[row], 120)), drawOf(index, row));
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
    else column.append(...answerBoxes(line, answers, row));
    return column;
  }));
  const references = example ? example[4] : [];
  if (references.length && references.join("").length <= BRIEF) {
    query.push(el("h3", {}, references.length === 1 ? "Reference" : "References"), textBox(references.join("\n"), "References"));
  }
  return [...query, el("div", { class: `answers of-${labels.length}` }, ...columns)];
}

function answerBoxes(line, answers, row) {
  const place = el("div");
  const draw = (chosen) => clear(place, ...answerBox(line, answers[chosen]));
  draw(0);
  if (answers.length === 1) return [place];
  const select = el("select", { "aria-label": "Seed" }, ...answers.map((one, at) => {
    const score = one[1] === null ? "failed" : one.length > 10 ? number(one[10]) : "not scored";
    return option(at, `${shown(line.members[one[0]])}: ${score}`, at === 0);
  }));
  select.addEventListener("change", () => draw(Number(select.value)));
  const mean = line.value[row] === null ? "" : ` mean over ${count(answers.length)} seeds: ${number(line.value[row], 2)}`;
  return [" ", select, el("span", { class: "soft small" }, mean), place];
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
  const [, text, finish, input, cached, output, reported, attempts, cost, scored, value, components, flags, read] = one;
  const made = [];
  if (value !== undefined) {
    made.push(el("p", { class: "score" }, el("strong", {}, number(value, 2)), ` ${line.components.length > 1 ? "" : shown(core.metrics[line.components[0]] || "")}`));
    made.push(facts([
      ...(components.length > 1 ? inOrder(line.components).map((name) => [shown(core.metrics[name] || name), number(components[line.components.indexOf(name)], 2)]) : []),
      ...Object.entries(flags || {}).map(([name, is]) => [shown(name.replaceAll("_", " ")), is ? "yes" : "no"]),
    ]));
  } else made.push(el("p", { class: "soft" }, "Not scored: the references are not public or cannot be scored."));
  if (finish !== "complete") made.push(el("p", { class: "warning" }, `This answer was ${ENDED[finish] || finish}.`));
  if (scored !== null) made.push(el("p", { class: "warning" }, `The task allows so long an answer only: the first ${count(scored)} of ${count([...text].length)} characters count.`));
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
