/** A number inside a sentence: a small field that the keyboard can change. */
import { h } from "./dom";

const STEP = 1.1; // by which an arrow key changes a number

/** What a field in a sentence says, and takes. */
export interface InlineOptions {
  label: string;
  high: number; // the largest number it takes
  onInput: (value: number, settled: boolean) => void;
}

/** A field that is as wide as its number. */
export class InlineField {
  readonly element: HTMLInputElement;
  #options: InlineOptions;

  constructor(key: string, options: InlineOptions) {
    this.#options = options;
    this.element = h("input", {
      type: "text",
      class: "inline",
      inputmode: "decimal",
      autocomplete: "off",
      "data-field": key,
      "aria-label": options.label,
      title: `${options.label}; arrow keys change it`,
    });
    this.element.addEventListener("input", () => this.#type(false));
    this.element.addEventListener("change", () => this.#type(true));
    this.element.addEventListener("focus", () => this.element.select());
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Give the field another meaning of the same form. */
  retarget(options: InlineOptions): void {
    this.#options = options;
  }

  /** Show a value; what somebody is typing stays as typed. */
  show(value: number): void {
    const typed = numberOf(this.element.value);
    if (document.activeElement === this.element && near(typed, value)) return;
    this.#put(value);
  }

  #put(value: number): void {
    this.element.value = short(value);
    this.element.removeAttribute("aria-invalid");
    this.#fit();
  }

  #fit(): void {
    this.element.style.width = `${Math.max(2, this.element.value.length) + 0.7}ch`;
  }

  #type(settled: boolean): void {
    this.#fit();
    const value = numberOf(this.element.value);
    if (!(value >= 0 && value <= this.#options.high)) {
      this.element.setAttribute("aria-invalid", "true");
      return;
    }
    this.element.removeAttribute("aria-invalid");
    this.#options.onInput(value, settled);
  }

  #key(event: KeyboardEvent): void {
    const step = event.key === "ArrowUp" ? STEP : event.key === "ArrowDown" ? 1 / STEP : 0;
    const value = numberOf(this.element.value);
    if (step === 0 || isNaN(value)) return;
    event.preventDefault();
    const next = Math.min(stepped(value, step), this.#options.high);
    this.#put(next);
    this.#options.onInput(next, true);
  }
}

/** Return the next number of two digits, at least the last digit away. */
function stepped(value: number, by: number): number {
  const power = 10 ** (Math.floor(Math.log10(value || 1)) - 1);
  const next = Math.round((value * by) / power) * power;
  const other = next === value ? value + (by > 1 ? power : -power) : next;
  return Number(Math.max(0, other).toPrecision(3));
}

function numberOf(text: string): number {
  const plain = text.trim().replace(/\s*%$/, "").replace(/^(\d+),(\d+)$/, "$1.$2");
  return plain === "" ? NaN : Number(plain);
}

function near(one: number, other: number): boolean {
  return one === other || Number(short(other)) === one;
}

/** Return a number with three digits, more where they would hide that it is not 0 or 100. */
function short(value: number): string {
  const rough = Number(value.toPrecision(3));
  return String(rough >= 100 && value < 100 ? Number(value.toPrecision(6)) : rough);
}
