/** A number inside a sentence: a small field that the keyboard can change. */
import { NumberField, type Takes } from "./field";

const STEP = 1.1; // by which an arrow key changes a number

/** A field that is as wide as its number. */
export class InlineField {
  readonly #field: NumberField;
  readonly #onInput: (value: number, settled: boolean) => void;
  readonly #most: number;

  constructor(
    key: string,
    label: string,
    said: HTMLElement,
    onInput: (value: number, settled: boolean) => void,
  ) {
    const takes: Takes = key.startsWith("prior") ? "percent" : "cost";
    this.#most = takes === "percent" ? 99.9 : Infinity;
    this.#onInput = onInput;
    const attributes = {
      class: "inline",
      "data-field": key,
      "aria-label": label,
      title: `${label}; arrow keys change it`,
    };
    this.#field = new NumberField(takes, said, attributes, onInput, short);
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
    const step = event.key === "ArrowUp" ? STEP : event.key === "ArrowDown" ? 1 / STEP : 0;
    const value = Number(this.element.value);
    if (step === 0 || isNaN(value)) return;
    event.preventDefault();
    const next = Math.min(stepped(value, step), this.#most);
    this.element.value = short(next);
    this.#fit();
    this.#onInput(next, true);
  }
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
