/** Reset, share and save. */
import type { TextFile } from "../core/index";
import { h, on } from "./dom";
import { forgetRefused } from "./field";
import type { Store } from "./store";

/** What the buttons need from the core: the texts of the choice. */
export interface Texts {
  fragment(): string;
  files(): TextFile[];
}

/** Buttons beneath the controls. */
export function actions(store: Store, texts: Texts): { element: HTMLElement; show: () => void } {
  const reset = button("Reset");
  const copy = button("Copy link");
  const save = button("Save as TOML");
  const said = h("span.said", { role: "status" });
  const link = h("input", {
    type: "text",
    readonly: true,
    class: "link",
    "aria-label": "link to this choice",
    hidden: true,
  });
  const pre = h("pre", { tabindex: 0 });
  const details = h(
    "details",
    h("summary", "This application as TOML"),
    pre,
    h("p.hint", "For the command line: ", h("code", "stakes evaluate … --app application.toml")),
  );
  on(reset, "click", () => {
    forgetRefused();
    store.set(store.initial, true);
  });
  on(copy, "click", () => void share(texts.fragment(), link, said));
  on(save, "click", () => {
    for (const file of texts.files()) download(file);
  });
  on(details, "toggle", () => show());
  const show = () => {
    reset.disabled = store.isInitial;
    link.hidden = true;
    if (said.textContent) said.textContent = "";
    if (details.open)
      pre.textContent = texts
        .files()
        .map((file, i) => (i > 0 ? `\n# ${file.name}\n${file.text}` : file.text))
        .join("");
  };
  return {
    element: h("div.actions", h("div.buttons", reset, copy, save, said), link, details),
    show,
  };
}

function button(text: string): HTMLButtonElement {
  return h("button", { type: "button" }, text);
}

/** Put the link on the clipboard; where that is not allowed, show it to be copied by hand. */
async function share(fragment: string, link: HTMLInputElement, said: HTMLElement): Promise<void> {
  const framed = location.protocol === "about:"; // a page inside a notebook has no address
  const address = `${framed ? "" : location.href.split("#")[0]}#${fragment}`;
  try {
    if (framed) throw new Error("no clipboard");
    await navigator.clipboard.writeText(address);
    said.textContent = "Copied.";
  } catch {
    link.hidden = false;
    link.value = address;
    link.focus();
    link.select();
    said.textContent = framed
      ? "Put this behind the address of the saved page:"
      : "Copy it from here:";
  }
}

function download({ name, text }: TextFile): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
  const anchor = h("a", { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
