/** A number with a slider and a field: the one control of the page. */
import { type Child, freshId, h, on, refill } from "./dom";
import { within } from "./scale";
import { number, plainNumber } from "./text";

const STEPS = 1000;

/** How far along the slider a value is, and back. */
export interface Track {
  moves?: boolean; // to where the value is, if that is beyond its ends
  share(value: number): number;
  value(share: number): number;
}

/** A track from 0, then by ratios from `low` to `high`. */
export function ratios(low: number, high: number): Track {
  const width = Math.log(high / low);
  return {
    moves: true,
    share: (value) => (value <= 0 ? 0 : 0.02 + 0.98 * (Math.log(value / low) / width)),
    value: (share) =>
      share < 0.01 ? 0 : rounded(low * Math.exp((Math.max(0, share - 0.02) / 0.98) * width)),
  };
}

/** A track of shares by their log odds, from 1 in 10,000 to 9,999. */
export function odds(reach = Math.log(9999)): Track {
  return {
    share: (p) => 0.5 + Math.log(p / (1 - p)) / (2 * reach),
    value: (share) => roundedShare(1 / (1 + Math.exp(-(2 * share - 1) * reach))),
  };
}

/** Return the ends of a track around a value: two decades to either side of it. */
export function around(value: number): Track {
  const middle = 10 ** Math.round(Math.log10(value));
  return ratios(middle / 100, middle * 100);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function roundedShare(p: number): number {
  return p <= 0.5 ? rounded(p) : Number((1 - rounded(1 - p)).toPrecision(12));
}

export interface DialOptions {
  label: Child[];
  key: string; // by which a program finds it
  spoken: string; // the label as one text
  track: Track;
  low: number; // what the field takes
  high?: number;
  compact?: boolean; // all on one line
  open?: boolean; // the ends themselves are not allowed
  onInput: (value: number, settled: boolean) => void;
}

/** A label, a slider and a number field that hold the same value. */
export class Dial {
  #options: DialOptions;
  readonly element: HTMLElement;
  readonly #slider: HTMLInputElement;
  readonly #field: HTMLInputElement;
  readonly #label: HTMLLabelElement;

  constructor(options: DialOptions) {
    this.#options = options;
    const id = freshId("dial");
    this.#slider = h("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      "aria-label": options.spoken,
    });
    this.#field = h("input", {
      type: "number",
      id,
      step: "any",
      min: options.low,
      max: options.high,
      inputmode: "decimal",
    });
    this.#label = h("label", { for: id }, ...options.label);
    this.element = h(
      "div",
      { class: options.compact ? "dial compact" : "dial", "data-key": options.key },
      this.#label,
      this.#slider,
      this.#field,
    );
    on(this.#slider, "input", () => this.#slide(false));
    on(this.#slider, "change", () => this.#slide(true));
    on(this.#field, "input", () => this.#type(false));
    on(this.#field, "change", () => this.#type(true));
  }

  /** Give the dial another meaning. */
  retarget(options: Partial<DialOptions>): void {
    this.#options = { ...this.#options, ...options };
    if (options.label) refill(this.#label, ...options.label);
    if (options.spoken) this.#slider.setAttribute("aria-label", options.spoken);
  }

  /** Show a value; what somebody is typing stays as typed. */
  show(value: number): void {
    this.#showSlider(value);
    const typed = Number(this.#field.value);
    const held = typed === value || typed === Number(plainNumber(value));
    if (document.activeElement === this.#field && held) return;
    this.#field.value = plainNumber(value);
    this.#field.removeAttribute("aria-invalid");
  }

  #showSlider(value: number): void {
    const { track } = this.#options;
    if (track.moves && value > 0 && within(0, 1, track.share(value)) !== track.share(value))
      this.#options.track = around(value);
    const at = Math.round(STEPS * within(0, 1, this.#options.track.share(value)));
    if (Number(this.#slider.value) !== at) this.#slider.value = String(at);
    this.#slider.setAttribute("aria-valuetext", number(value));
  }

  #slide(settled: boolean): void {
    const value = this.#options.track.value(Number(this.#slider.value) / STEPS);
    this.#field.value = plainNumber(value);
    this.#field.removeAttribute("aria-invalid");
    this.#showSlider(value);
    this.#options.onInput(value, settled);
  }

  #type(settled: boolean): void {
    const { low, high = Infinity, open } = this.#options;
    const value = this.#field.value.trim() === "" ? NaN : Number(this.#field.value);
    const fine = open ? value > low && value < high : value >= low && value <= high;
    if (!fine || !isFinite(value)) {
      this.#field.setAttribute("aria-invalid", "true");
      return;
    }
    this.#field.removeAttribute("aria-invalid");
    this.#showSlider(value);
    this.#options.onInput(value, settled);
  }
}
