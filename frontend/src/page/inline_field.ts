/** A number inside a sentence: a small field that the keyboard can change. */
import { NumberField, type Takes } from "./field";

const STEP = 1.1; // by which an arrow key changes a number

/** How a field reads, writes and steps its number. */
export interface Manner {
  takes: Takes;
  write(value: number): string;
  step(value: number, up: boolean): number;
}

/** A field that is as wide as its number. */
export class InlineField {
  readonly #field: NumberField;
  readonly #onInput: (value: number, settled: boolean) => void;
  readonly #manner: Manner;

  constructor(
    key: string,
    label: string,
    said: HTMLElement,
    onInput: (value: number, settled: boolean) => void,
    manner = mannerOf(key),
  ) {
    this.#manner = manner;
    this.#onInput = onInput;
    const attributes = {
      class: "inline",
      "data-field": key,
      "aria-label": label,
      title: `${label} (use the arrow keys to change it)`,
    };
    this.#field = new NumberField(manner.takes, said, attributes, onInput, manner.write);
    const { element } = this.#field;
    element.addEventListener("input", () => this.#fit());
    element.addEventListener("change", () => this.#fit());
    element.addEventListener("focus", () => element.select());
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  get element(): HTMLInputElement {
    return this.#field.element;
  }

  /** Show a value; what somebody is typing stays as typed. */
  show(value: number): void {
    this.#field.show(value);
    this.#fit();
  }

  #fit(): void {
    this.element.style.width = `${Math.max(2, this.element.value.length) + 0.7}ch`;
  }

  #key(event: KeyboardEvent): void {
    const up = event.key === "ArrowUp";
    const value = this.#field.typed;
    if ((!up && event.key !== "ArrowDown") || isNaN(value)) return;
    event.preventDefault();
    const next = this.#manner.step(value, up);
    this.element.value = this.#manner.write(next);
    this.#fit();
    this.#onInput(next, true);
  }
}

/** Return how the numbers of a problem are read: shares of classes in percent, or costs. */
function mannerOf(key: string): Manner {
  const takes = key.startsWith("prior") ? "percent" : "cost";
  const most = takes === "percent" ? 99.9 : Infinity;
  return { takes, write: short, step: (value, up) => Math.min(stepped(value, up ? STEP : 1 / STEP), most) };
}

/** Return the next number of two digits, at least the last digit away. */
export function stepped(value: number, by: number): number {
  const power = 10 ** (Math.floor(Math.log10(value || 1)) - 1);
  const next = Math.round((value * by) / power) * power;
  const other = Math.abs(next - value) < power / 2 ? value + (by > 1 ? power : -power) : next;
  return Number(Math.max(0, other).toPrecision(3));
}

/** Return a number with three digits, more where they would hide that it is not 100. */
function short(value: number): string {
  const rough = Number(value.toPrecision(3));
  return String(rough >= 100 && value < 100 ? Number(value.toPrecision(6)) : rough);
}
