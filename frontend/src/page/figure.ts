/** Figures: a heading, a note, and a chart that is drawn when it is seen. */
import { Chart } from "./chart";
import { type Child, h, refill } from "./dom";
import type { Model } from "./model";
import type { Found } from "./results";
import type { Store } from "./store";

export interface FigureOptions {
  note?: string;
  wide?: boolean;
  extra?: Child;
}

const BUDGET = 8; // milliseconds of a frame that pictures may take
const waiting = new Set<Figure>();

/** Draw figures from the next frame on, as many in each as there is time for. */
function soon(figure: Figure): void {
  if (waiting.size === 0) requestAnimationFrame(drain);
  waiting.delete(figure);
  waiting.add(figure);
}

function drain(): void {
  const end = performance.now() + BUDGET;
  for (const figure of waiting) {
    waiting.delete(figure);
    figure.flush();
    if (performance.now() > end) break;
  }
  if (waiting.size > 0) requestAnimationFrame(drain);
}

/** A figure that draws itself anew only while it can be seen. */
export class Figure {
  readonly element: HTMLElement;
  #dirty = false;
  #seen = false; // until it is known to be near the window
  readonly #note = h("p");

  constructor(
    title: string,
    body: Node,
    private readonly paint: () => void,
    options: FigureOptions = {},
  ) {
    const head = h("div.bar-of", h("h3", title), options.extra);
    this.#note.textContent = options.note ?? "";
    this.element = h(
      "figure",
      { class: options.wide ? "wide" : null },
      h("figcaption", head, this.#note),
      body,
    );
    const margin = { rootMargin: "200px" };
    new IntersectionObserver((entries) => {
      this.#seen = entries[entries.length - 1].isIntersecting;
      if (this.#seen) this.flush();
    }, margin).observe(this.element);
  }

  /** Say what the picture shows. */
  say(...note: Child[]): void {
    refill(this.#note, ...note);
  }

  /** Draw anew: soon if it can be seen, else when it comes into sight. */
  refresh(): void {
    this.#dirty = true;
    if (this.#seen) soon(this);
  }

  /** Draw if there is something new to draw. */
  flush(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    this.paint();
  }
}

/** A picture that follows the reader's problem. */
export abstract class Picture {
  readonly chart: Chart;
  readonly figure: Figure;
  found!: Found;
  #key = "";

  constructor(
    readonly model: Model,
    readonly store: Store,
    title: string,
    options?: FigureOptions,
    body?: Node,
  ) {
    this.chart = new Chart(options?.wide ? 320 : 280);
    this.figure = new Figure(title, body ?? this.chart.element, () => this.paint(), options);
  }

  /** Follow a new problem. */
  show(found: Found): void {
    this.found = found;
    this.figure.refresh();
  }

  /** Draw what is new. */
  abstract paint(): void;

  /** Tell whether anything that a drawing rests on has changed since the last time. */
  changed(...on: unknown[]): boolean {
    const { problem } = this.found;
    const key = JSON.stringify([on, problem.adapt, this.model.priors(problem)]);
    if (key === this.#key) return false;
    this.#key = key;
    return true;
  }
}
