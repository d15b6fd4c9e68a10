/** The page writes itself anew: as it came, with the reader's settings and a note. */
import { h } from "./dom";

const STATE = "stakes-state";
const NOTE = "reader-note";

/** What a saved copy holds besides the page. */
export interface Saved {
  fragment: string; // the settings, as in an address
  note: string;
}

/** The page before anything on it was changed. */
export class Pristine {
  readonly #root = document.documentElement.cloneNode(true) as HTMLElement;

  /** Return what a copy was saved with; null for a page as it was made. */
  static saved(): Saved | null {
    const text = document.getElementById(STATE)?.textContent;
    if (!text) return null;
    try {
      const { fragment, note } = JSON.parse(text) as Partial<Saved>;
      return { fragment: String(fragment ?? ""), note: String(note ?? "") };
    } catch {
      return null;
    }
  }

  /** Return the text of a copy; `answer` is what its readers see without scripts. */
  text(saved: Saved, answer: HTMLElement | null): string {
    const root = this.#root.cloneNode(true) as HTMLElement;
    for (const id of [STATE, NOTE]) root.querySelector(`#${id}`)?.remove();
    const state = h("script", { type: "application/json", id: STATE });
    state.textContent = harmless(JSON.stringify(saved));
    root.querySelector("#stakes-data")?.after(state);
    if (saved.note) root.querySelector("header")?.after(noteOf(saved.note));
    const place = root.querySelector("#answer-text");
    if (place && answer) place.replaceChildren(...still(answer).childNodes);
    return `<!doctype html>\n${root.outerHTML}\n`;
  }
}

/** Return JSON that can stand in a script element: no sign in it can end the element. */
function harmless(text: string): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(/[<>&\u2028\u2029]/g, escaped);
}

function noteOf(note: string): HTMLElement {
  const lines = note.split("\n").map((line) => h("p", line));
  return h("aside", { id: NOTE, "aria-label": "Note of a reader" }, h("b", "Note"), ...lines);
}

/** Return the answer without anything that can be changed: fields become their numbers. */
function still(answer: HTMLElement): HTMLElement {
  const copy = answer.cloneNode(true) as HTMLElement;
  const fields = [...answer.querySelectorAll("input")];
  for (const [i, input] of [...copy.querySelectorAll("input")].entries())
    input.replaceWith(h("b.given", fields[i].value));
  for (const one of copy.querySelectorAll("button, [hidden], .flips, .dial")) one.remove();
  for (const one of copy.querySelectorAll("[style]")) one.removeAttribute("style");
  return copy;
}
