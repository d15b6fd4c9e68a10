/** A field for a number: reads what people type, and says beside it why something is refused. */
import { readNumber, type TypedNumber } from "../core/numbers";
import { type Attributes, freshId, h, on } from "./dom";
import { plainNumber } from "./text";

/** What numbers a field takes: "cost" 0 or more, "share" above 0 and below 1, "percent" above 0 and below 100, "target" from 0 to below 1, or its percent. */
export type Takes = "cost" | "share" | "percent" | "target";

const refused = new Set<NumberField>();

/** Put back the values of all fields in which something refused still stands. */
export function forgetRefused(): void {
  for (const field of [...refused]) field.putBack();
}

/** Return a place for the sentences of fields. */
export function place(): HTMLElement {
  return h("p.refused", { id: freshId("refused"), role: "status", hidden: true });
}

/** A text field with a number in it. */
export class NumberField {
  readonly element: HTMLInputElement;
  readonly #said: HTMLElement;
  readonly #takes: Takes;
  readonly #onInput: (value: number, settled: boolean) => void;
  readonly #write: (value: number) => string;
  #value = NaN;
  #held = NaN; // before somebody began to type

  constructor(
    takes: Takes,
    said: HTMLElement,
    attributes: Attributes,
    onInput: (value: number, settled: boolean) => void,
    write = plainNumber,
  ) {
    this.#write = write;
    this.#takes = takes;
    this.#said = said;
    this.#onInput = onInput;
    this.element = h("input", {
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      ...attributes,
    });
    on(this.element, "focus", () => {
      this.#held = this.#value;
    });
    on(this.element, "input", () => this.#read(false));
    on(this.element, "change", () => this.#read(true));
  }

  /** Show a value; what somebody is typing stays as typed, and so does what was refused until the value changes. */
  show(value: number): void {
    const same = Object.is(value, this.#value);
    this.#value = value;
    if (same && refused.has(this)) return;
    if (document.activeElement === this.element && (same || this.#stands(value))) return;
    this.putBack();
  }

  /** Show the value that holds, whatever stands in the field. */
  putBack(): void {
    const text = this.#write(this.#value);
    if (this.element.value !== text) this.element.value = text;
    this.#clear();
  }

  /** Tell whether what is typed is this value, or reads like it. */
  #stands(value: number): boolean {
    const typed = this.#typed();
    return "value" in typed && (typed.value === value || typed.value === Number(this.#write(value)));
  }

  /** The number that is typed; NaN if it is not one. */
  get typed(): number {
    const typed = this.#typed();
    return "value" in typed ? typed.value : NaN;
  }

  /** Read what is typed; a percent sign after a number of percent changes nothing, and a target of 75 is 75 %. */
  #typed(): TypedNumber {
    const text = this.element.value;
    const signed = /\s*[%\u066a]\s*$/u;
    const typed = readNumber(this.#takes === "percent" ? text.replace(signed, "") : text);
    const bare = this.#takes === "target" && "value" in typed && !signed.test(text);
    return bare && typed.value >= 1 && typed.value < 100 ? { value: typed.value / 100 } : typed;
  }

  #read(settled: boolean): void {
    const typed = this.#typed();
    const sentence = "refused" in typed ? typed.refused : this.#outside(typed.value);
    if (sentence !== "") {
      if (settled || refused.has(this)) this.#refuse(sentence);
      if (settled) this.#goBack();
      return; // while somebody types, much is not yet a number
    }
    this.#clear();
    this.#value = (typed as { value: number }).value;
    if (settled) this.#held = this.#value;
    this.#onInput(this.#value, settled);
    if (settled) this.putBack(); // shows what was understood
  }

  /** Take back what was followed while somebody typed: of 1,000 that is 1. */
  #goBack(): void {
    if (Object.is(this.#value, this.#held)) return;
    this.#value = this.#held;
    this.#onInput(this.#held, true);
  }

  /** Say why a number is not taken; empty if it is. */
  #outside(value: number): string {
    const shown = plainNumber(value).replace("-", "−");
    if (this.#takes === "cost") return value < 0 ? `A cost must be 0 or more: got ${shown}.` : "";
    if (this.#takes === "percent")
      return value > 0 && value < 100 ? "" : `A share must be above 0 % and below 100 %: got ${shown}.`;
    if (this.#takes === "target")
      return value >= 0 && value < 1 ? "" : `A target must be at least 0 % and below 100 %: got ${shown}.`;
    if (value > 0 && value < 1) return "";
    const percent = value >= 1 && value < 100 ? ` For ${shown} percent, write ${shown} %.` : "";
    return `A share must be above 0 and below 1: got ${shown}.${percent}`;
  }

  #refuse(sentence: string): void {
    refused.add(this);
    this.element.setAttribute("aria-invalid", "true");
    this.element.setAttribute("aria-describedby", this.#said.id);
    const held = this.#takes === "target" ? this.#write(this.#held) : plainNumber(this.#held);
    this.#said.textContent = `${sentence} The previous value is kept: ${held}.`;
    this.#said.hidden = false;
  }

  #clear(): void {
    this.element.removeAttribute("aria-invalid");
    this.element.removeAttribute("aria-describedby");
    if (!refused.delete(this)) return;
    this.#said.textContent = "";
    this.#said.hidden = true;
  }
}
