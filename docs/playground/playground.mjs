// The page of the playground: what people enter, the worker that computes, what it found.

import {
  classesOf, guess, isNumeric, lineRange, listOf, matrixOf, megabytes, priorsOf, tableOf, TableError,
} from "./table.mjs";
import { Python } from "./python.mjs";

const MOST_ROWS = 50_000;
const MOST_CLASSES = 12;
const SAMPLE = { breast: ["diagnosis", ["log_odds"], "Logits", [["0", "1"], ["20", "0"]]],
  diabetes: ["outcome", ["p_severe_b"], "Posteriors", [["0", "1"], ["5", "0"]]],
  digits: ["digit", Array.from({ length: 10 }, (_, k) => `p_${k}`), "Posteriors", null] };
const THRESHOLD = `# Where should the threshold be, for these costs?
print(stakes.choose_threshold(labels, scores, classes=classes, costs=costs))`;

const $ = (id) => document.getElementById(id);
const python = new Python({ onState: showState });
const first = $("cell").value;
let table = null, fileName = "data.csv", saved = null;

/** Return an element with properties and children; texts are never read as HTML. */
function h(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function options(select, names, chosen, none = null) {
  const empty = none === null ? [] : [h("option", { value: "" }, none)];
  select.replaceChildren(...empty, ...names.map((value) => h("option", { value }, value)));
  select.value = chosen;
}

/** Read the text again, and ask for columns that fit it. */
function readTable(sample = null) {
  showFault(null);
  const text = $("text").value;
  table = null;
  if (text.trim() !== "") {
    try {
      table = tableOf(text);
      if (table.lines.length > MOST_ROWS) {
        const rows = table.lines.length;
        table = null;
        throw new TableError(`The table has ${rows} rows; the playground takes ${MOST_ROWS}.`);
      }
    } catch (error) {
      showFault(error.message, error.line);
    }
  }
  const ready = table !== null;
  for (const id of ["columns", "prices"]) $(id).disabled = !ready;
  $("evaluate").disabled = !ready || !python.possible || python.busy;
  $("facts").textContent = ready
    ? `${table.lines.length} rows, ${table.names.length} columns.` : "No table yet.";
  if (ready) offerColumns(sample);
}

function offerColumns(sample) {
  const [label, scores, kind, costs] = sample ?? [guess(table).label, guess(table).scores, "Posteriors", null];
  options($("label"), table.names, label);
  options($("groups"), table.names, "", "none");
  options($("slices"), table.names, "", "none");
  $("kind").value = kind;
  offerScores(scores);
  offerClasses(costs);
}

function offerScores(chosen) {
  const numeric = table.names.filter((name) => isNumeric(table.columns[name]) || chosen.includes(name));
  const listed = numeric.length ? numeric : table.names;
  $("scores").replaceChildren($("scores-title"), ...listed.map((value) =>
    h("label", {}, h("input", { type: "checkbox", value, checked: chosen.includes(value) }), ` ${value}`)));
}

function offerClasses(costs = null) {
  const found = classesOf(table.columns[$("label").value]);
  $("classes").value = found.length <= MOST_CLASSES ? found.join(", ") : "";
  offerCosts(costs);
}

/** Show fields for the costs of each error and the prior of each class. */
function offerCosts(costs = null) {
  const classes = listOf($("classes").value);
  if (classes.length < 2 || classes.length > MOST_CLASSES) {
    const what = `Name 2 to ${MOST_CLASSES} classes to set their costs.`;
    $("costs").replaceChildren(h("p", {}, what));
    return;
  }
  const field = (name, value, data) => {
    const made = h("input", { type: "text", inputMode: "decimal", value, autocomplete: "off" });
    made.setAttribute("aria-label", name);
    Object.assign(made.dataset, data);
    return made;
  };
  const head = [...classes.map((name) => `decide ${name}`), "prior"];
  const rows = classes.map((truth, i) => h("tr", {},
    h("th", { scope: "row" }, truth),
    ...classes.map((decision, j) => h("td", {}, field(
      `Cost of deciding ${decision} for ${truth}`, costs?.[i][j] ?? (i === j ? "0" : "1"), { cost: i }))),
    h("td", {}, field(`Prior of ${truth}`, "", { prior: i }))));
  $("costs").replaceChildren(h("table", {},
    h("thead", {}, h("tr", {}, h("td"), ...head.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows)));
}

function texts(selector) {
  return [...$("costs").querySelectorAll(selector)].map((field) => field.value);
}

/** Return what the page asks Python, or throw what is missing. */
function request() {
  const scores = [...$("scores").querySelectorAll("input:checked")].map((box) => box.value);
  if (scores.length === 0) throw new TableError("Choose at least one column of scores.");
  const classes = listOf($("classes").value);
  const priced = classes.length >= 2 && classes.length <= MOST_CLASSES;
  return {
    name: fileName, delimiter: table.delimiter, columns: table.columns, lines: table.lines,
    label: $("label").value, scores, kind: $("kind").value,
    classes: classes.length ? classes : null,
    costs: priced ? matrixOf(classes.map((_, i) => texts(`[data-cost="${i}"]`))) : null,
    priors: priced ? priorsOf(texts("[data-prior]")) : null,
    training: $("training").value || null,
    groups: $("groups").value || null,
    slices: $("slices").value ? [$("slices").value] : [],
  };
}

async function evaluate() {
  showFault(null);
  $("results").hidden = true;  // of other settings
  let asked;
  try {
    asked = request();
  } catch (error) {
    showFault(error.message, error.line);
    return;
  }
  const found = await python.call("evaluate", { request: asked });
  if (found === null) return;
  if (found.error) showFault(found.error.text, found.error.line);
  else showResults(found);
}

function showResults(found) {
  $("verdicts").replaceChildren(...found.verdicts.map(({ text, advice }) =>
    h("li", {}, text, ...(advice ? [" ", h("strong", {}, advice)] : []))),
    ...found.notes.map((text) => h("li", { className: "soft" }, text)));
  $("numbers").replaceChildren(
    h("thead", {}, h("tr", {}, ...["metric", "value", found.interval].map((text) =>
      h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...found.numbers.map(([name, value, interval]) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value), h("td", {}, interval)))));
  $("code").textContent = found.code;
  $("report").srcdoc = found.report;
  if (saved !== null) URL.revokeObjectURL(saved);
  saved = URL.createObjectURL(new Blob([found.report], { type: "text/html" }));
  $("save").href = saved;
  $("results").hidden = false;
  $("results-title").focus();
  if ($("cell").value === first) $("cell").value = THRESHOLD;
}

async function runCell() {
  if ($("run").disabled) return;
  const found = await python.call("run", { code: $("cell").value });
  if (found === null) return;
  $("output").hidden = false;
  $("output").classList.toggle("fault", found.failed);
  $("output").textContent = found.text || "Done: nothing was printed.";
}

/** Show a fault, and a way to the line of the text where it stands. */
function showFault(text, line = null) {
  const parts = text === null ? [] : [h("p", { className: "fault" }, text)];
  if (line !== null) {
    const button = h("button", { type: "button", className: "plain" }, `Show line ${line}`);
    button.addEventListener("click", () => {
      $("text").focus();
      $("text").setSelectionRange(...lineRange($("text").value, line));
      $("text").scrollTop = $("text").scrollHeight * (line - 1) / $("text").value.split("\n").length;
    });
    parts[0].append(" ", button);
  }
  $("fault").replaceChildren(...parts);
}

/** Show what Python is doing. */
function showState({ text, share, busy, fault }) {
  $("status").textContent = text;
  $("bar").hidden = !busy;
  if (share === null) $("bar").removeAttribute("value");
  else $("bar").value = share;
  $("cancel").hidden = !busy;
  $("evaluate").disabled = busy || table === null || !python.possible;
  $("run").disabled = busy || !python.possible;
  $("versions").textContent = python.versions;
  if (fault) showFault(fault);
}

async function readFile(file) {
  if (!file) return;
  fileName = file.name;
  $("demo").value = "";
  $("text").value = await file.text();
  readTable();
}

async function useDemo(name) {
  if (name === "") return;
  fileName = `${name}.csv`;
  $("text").value = await (await fetch(`data/${name}.csv`)).text();
  readTable(SAMPLE[name]);
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  evaluate();
});
$("cancel").addEventListener("click", () => python.cancel());
$("demo").addEventListener("change", () => useDemo($("demo").value));
$("file").addEventListener("change", () => readFile($("file").files[0]));
$("text").addEventListener("input", () => {
  $("demo").value = "";
  fileName = "data.csv";
  readTable();
});
$("label").addEventListener("change", () => offerClasses());
$("classes").addEventListener("change", () => offerCosts());
$("run").addEventListener("click", runCell);
$("cell").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) runCell();
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  $("text").addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    $("text").classList.toggle("over", kind === "dragover");
    if (kind === "drop") readFile(event.dataTransfer.files[0]);
  });
}

const missing = await python.find();
$("missing").hidden = missing === null;
$("missing").textContent = missing ?? "";
if (missing === null) {
  $("size").textContent = `The first run downloads ${megabytes(python.bytes)}: Python, numpy and stakes.`;
  $("run").disabled = false;
  if ($("text").value.trim() === "") {
    $("demo").value = "breast";
    await useDemo("breast");
  } else readTable();
}
