/* One example: its references, prompt and documents. */

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
