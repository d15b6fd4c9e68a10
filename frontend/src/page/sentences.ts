/** Sentences with numbers to change and verdicts in a frame, put part by part. */
import type { VerdictPart } from "../core/answer";
import type { Part } from "../core/setting";
import { h, HIDDEN, named, refill } from "./dom";
import type { InlineField } from "./inline_field";

export const ICONS = { good: "✓", bad: "✕", warn: "?", note: "–" };

/** Sentences that change; a field that is in use stays the same element. */
export class Sentences {
  readonly element = h("div");
  readonly #makeField: (key: string, label: string) => InlineField;
  readonly #fields = new Map<string, InlineField>();
  #form = "";
  #slots: (HTMLElement | Text)[] = [];

  constructor(makeField: (key: string, label: string) => InlineField) {
    this.#makeField = makeField;
  }

  /** The words as one text. */
  get text(): string {
    const words = this.#slots.map((slot) =>
      slot instanceof HTMLInputElement ? slot.value : (slot.textContent ?? ""),
    );
    return words.join("").replace(/[✓✕]/g, "");
  }

  show(sentences: Part[][]): void {
    const form = JSON.stringify(
      sentences.map((one) => one.map((part) => (part[0] === "field" ? part[1] : part[0]))),
    );
    if (form !== this.#form) {
      this.#form = form;
      this.#slots = [];
      refill(
        this.element,
        ...sentences.map((one) => h("p.answer", ...one.map((part) => this.#slot(part)))),
      );
    }
    for (const [i, part] of sentences.flat().entries()) this.#fill(this.#slots[i], part);
  }

  #slot(part: Part): HTMLElement | Text {
    const made =
      part[0] === "field"
        ? this.#field(part[1], part[3]).element
        : part[0] === "name"
          ? named(part[1])
          : part[0] === "verdict"
            ? h("strong")
            : document.createTextNode("");
    this.#slots.push(made);
    return made;
  }

  #fill(slot: HTMLElement | Text, part: Part): void {
    if (part[0] === "field") this.#fields.get(part[1])!.show(part[2]);
    else if (part[0] === "verdict") showVerdict(slot as HTMLElement, part);
    else if (slot.textContent !== part[1]) slot.textContent = part[1];
  }

  #field(key: string, label: string): InlineField {
    const known = this.#fields.get(key);
    if (known) return known;
    const made = this.#makeField(key, label);
    this.#fields.set(key, made);
    return made;
  }
}

/** Show a verdict with its icon and look. */
export function showVerdict(slot: HTMLElement, part: VerdictPart): void {
  const [, words, look] = part;
  const name = `verdict-word ${look}`;
  if (slot.className === name && slot.lastChild?.textContent === words) return;
  slot.className = name;
  refill(slot, h("span.icon", HIDDEN, ICONS[look]), words);
}
