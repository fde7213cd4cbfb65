/* What the controls do, and addresses of examples. */

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
  if (lines.length > 1) showPair();
  if (core.groups.length) list();
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

if (lines.length) {
  $("compare").hidden = lines.length < 2;
  if ($("split")) {
    $("split").append(...core.sections.map((one, place) => option(place, one.split, place === 0)));
    $("split").addEventListener("change", () => { state.section = Number($("split").value); showPair(); });
  }
  $("first").addEventListener("change", () => choose("a", $("first").value));
  $("second").addEventListener("change", () => choose("b", $("second").value));
  synced();
}
if (core.groups.length) {
  $("explorer").hidden = false;
  clear($("group"), ...core.groups.map((one, place) => option(place, `${shown(one.task)}${one.split === "test" ? "" : `, ${shown(one.split)}`} (${count(one.inputs)})`, place === 0)));
  clear($("only"), ...Object.entries(FILTERS).map(([name, [text]]) => option(name, text, name === "all")));
  $("group").addEventListener("change", () => openGroup(Number($("group").value), false));
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
  byHash();
}
// what is folded is printed all the same
const folded = () => [...document.querySelectorAll("details.beyond:not([open])")];
let unfolded = [];
window.addEventListener("beforeprint", () => { unfolded = folded(); unfolded.forEach((one) => { one.open = true; }); });
window.addEventListener("afterprint", () => { unfolded.forEach((one) => { one.open = false; }); });
document.documentElement.dataset.ready = "yes";
