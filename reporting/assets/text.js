/* Text and elements. Text from outside goes through shown() into text nodes and nowhere else; the page's policy forbids the
   rest. All files of the script are one function, in the order of reporting/page.py. */

const LONG = 20000; // characters shown of a text before one asks for the rest
const core = JSON.parse(document.getElementById("core").textContent);
const $ = (id) => document.getElementById(id);

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
