/* Chunks of data, opened when they are asked for: from the page itself or from files beside it. Light and dark. */

const KEPT_CHUNKS = 40; // opened chunks that are remembered

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
