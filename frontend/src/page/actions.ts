/** Reset, undo, share and save. */
import type { TextFile } from "../core/index";
import { h, on } from "./dom";
import { forgetRefused } from "./field";
import type { Chosen } from "./store";

const FRAMED = "A page inside a notebook cannot save files. Write the report with save_html and open that file.";

/** What the buttons need: the texts of the choice, and of a copy of the page. */
export interface Texts {
  fragment(): string;
  files?(): TextFile[]; // the choice for the command line, where it can be one
  copy(note: string): string;
  note: string; // of an earlier reader
}

/** Buttons beneath the controls. */
export function actions<P>(store: Chosen<P>, texts: Texts): { element: HTMLElement; show: () => void } {
  const reset = button("Reset");
  const undo = button("Undo");
  undo.title = "Ctrl+Z";
  const said = h("span.said", { role: "status" });
  const sharing = location.protocol === "file:" ? null : link(texts, said);
  const toml = texts.files ? tomlBox(() => texts.files!()) : null;
  on(reset, "click", () => {
    forgetRefused();
    store.set(store.initial, true);
  });
  const goBack = () => {
    forgetRefused();
    store.undo();
  };
  on(undo, "click", goBack);
  addEventListener("keydown", (event) => {
    const wanted = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "z";
    if (!wanted || (event.target as Element).matches?.("textarea, .link")) return;
    event.preventDefault();
    goBack();
  });
  const show = () => {
    reset.disabled = store.isInitial;
    undo.disabled = !store.canUndo;
    sharing?.hide();
    if (said.textContent) said.textContent = "";
    toml?.show();
  };
  if (toml) on(toml.element, "toggle", show);
  const buttons = h("div.buttons", reset, undo, sharing?.button, toml?.save, said);
  return {
    element: h("div.actions", buttons, sharing?.field, copyBox(texts), toml?.element),
    show,
  };
}

function button(text: string): HTMLButtonElement {
  return h("button", { type: "button" }, text);
}

/** Return a fold in which a copy of the page is saved, with a note. */
function copyBox(texts: Texts): HTMLElement {
  const note = h("textarea", { rows: 3, "aria-label": "note for readers of the copy" });
  note.value = texts.note;
  const save = button("Save copy");
  const said = h("p.hint", { role: "status" });
  const framed = location.protocol === "about:";
  save.disabled = framed;
  if (framed) said.textContent = FRAMED;
  on(save, "click", () => {
    const name = `${document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "report"}.html`;
    download({ name, text: texts.copy(note.value.trim()) }, "text/html");
    said.textContent = `Saved as ${name}. It opens with these settings; you can send it to others.`;
  });
  return h(
    "details.copy",
    h("summary", "Save a copy with these settings"),
    h("label", "Note (optional)", note),
    h("div.buttons", save),
    said,
  );
}

/** Return a fold with the choice for the command line, and the button that saves it. */
function tomlBox(files: () => TextFile[]) {
  const save = button("Save as TOML");
  on(save, "click", () => {
    for (const file of files()) download(file, "application/toml");
  });
  const pre = h("pre", { tabindex: 0 });
  const element = h(
    "details",
    h("summary", "This application as TOML"),
    pre,
    h("p.hint", "For the command line: ", h("code", "stakes evaluate … --app application.toml")),
  );
  const show = () => {
    if (!element.open) return;
    pre.textContent = files()
      .map((file, i) => (i > 0 ? `\n# ${file.name}\n${file.text}` : file.text))
      .join("");
  };
  return { element, save, show };
}

/** Return a button that copies the address of the choice, and the field for where that is not allowed. */
function link(texts: Texts, said: HTMLElement) {
  const copy = button("Copy link");
  const field = h("input", {
    type: "text",
    readonly: true,
    class: "link",
    "aria-label": "link to these settings",
    hidden: true,
  });
  on(copy, "click", () => void share(texts.fragment(), field, said));
  return { button: copy, field, hide: () => (field.hidden = true) };
}

/** Put the link on the clipboard; where that is not allowed, show it to be copied by hand. */
async function share(fragment: string, field: HTMLInputElement, said: HTMLElement): Promise<void> {
  const framed = location.protocol === "about:"; // a page inside a notebook has no address
  const address = `${framed ? "" : location.href.split("#")[0]}#${fragment}`;
  try {
    if (framed) throw new Error("no clipboard");
    await navigator.clipboard.writeText(address);
    said.textContent = "Copied.";
  } catch {
    field.hidden = false;
    field.value = address;
    field.focus();
    field.select();
    said.textContent = framed
      ? "Append this to the address of the saved page:"
      : "Copy it from here:";
  }
}

function download({ name, text }: TextFile, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = h("a", { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
