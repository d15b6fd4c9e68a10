/** A number with a slider and a field: the one control of the page. */
import { type Child, freshId, h, HIDDEN, on, refill } from "./dom";
import { NumberField, place, type Takes } from "./field";
import { number } from "./text";
import { Positions, STEPS, type Track } from "./track";

export interface DialOptions {
  label: Child[];
  key: string; // by which a program finds it
  spoken: string; // the label as one text
  track: Track;
  takes: Takes;
  write?: (value: number) => string; // how the field shows it
  compact?: boolean; // all on one line
  onInput: (value: number, settled: boolean) => void;
}

const dials = new Map<string, Dial>(); // the newest of each key

/** Return the dial of a key. */
export function dialOf(key: string): Dial | undefined {
  return dials.get(key);
}

/** A label, a slider and a number field that hold the same value. */
export class Dial {
  #options: DialOptions;
  readonly element: HTMLElement;
  readonly #slider: HTMLInputElement;
  readonly #field: NumberField;
  readonly #positions: Positions;
  readonly #label: HTMLLabelElement;
  readonly #zones: HTMLElement;

  constructor(options: DialOptions) {
    this.#options = options;
    this.#positions = new Positions(options.track);
    const id = freshId("dial");
    this.#slider = h("input", {
      type: "range",
      min: 0,
      max: STEPS,
      step: 1,
      "aria-label": options.spoken,
    });
    const said = place();
    const name = options.compact ? options.spoken : null; // a class has a cost and a prior
    this.#field = new NumberField(options.takes, said, { id, "aria-label": name }, (value, settled) => {
      this.#showSlider(value);
      this.#options.onInput(value, settled);
    }, options.write);
    this.#label = h("label", { for: id }, ...options.label);
    this.#zones = h("div.zones", HIDDEN);
    this.element = h(
      "div",
      { class: options.compact ? "dial compact" : "dial", "data-key": options.key },
      this.#label,
      h("div.way", this.#slider, this.#zones),
      this.#field.element,
      said,
    );
    dials.set(options.key, this);
    on(this.#slider, "input", () => this.#slide(false));
    on(this.#slider, "change", () => this.#slide(true));
  }

  /** Give the dial another meaning. */
  retarget(options: Partial<DialOptions>): void {
    this.#options = { ...this.#options, ...options };
    if (options.label) refill(this.#label, ...options.label);
    if (options.track) this.#positions.turn(options.track);
    if (options.spoken) this.#slider.setAttribute("aria-label", options.spoken);
  }

  /** Shade the way of the slider by verdicts, a row for each system. */
  shade(rows: { from: number; to: number; side: number }[][]): void {
    const looks = ["useful", "unclear", "worse"];
    refill(
      this.#zones,
      ...rows.map((row) => {
        const parts = row.map(({ from, to, side }) => {
          const [low, high] = [from, to].map((end) => this.#positions.share(end));
          const part = h("span", { class: `zone ${looks[side + 1]}` });
          part.style.left = `${100 * low}%`;
          part.style.width = `${100 * Math.max(0, high - low)}%`;
          return part;
        });
        return h("div.zone-row", ...parts);
      }),
    );
  }

  /** Show a value. */
  show(value: number): void {
    this.#showSlider(value);
    this.#field.show(value);
  }

  #showSlider(value: number): void {
    const at = this.#positions.place(value, Number(this.#slider.value));
    if (Number(this.#slider.value) !== at) this.#slider.value = String(at);
    this.#slider.setAttribute("aria-valuetext", (this.#options.write ?? number)(value));
  }

  #slide(settled: boolean): void {
    const value = this.#positions.value(Number(this.#slider.value));
    this.#slider.setAttribute("aria-valuetext", (this.#options.write ?? number)(value));
    this.#field.show(value);
    this.#options.onInput(value, settled);
  }
}
