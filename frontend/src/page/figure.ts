/** Figures: a heading, a note, and a chart that is drawn when it is seen. */
import { type Child, h, refill } from "./dom";

/** A figure that draws itself anew only while it can be seen. */
export class Figure {
  readonly element: HTMLElement;
  private dirty = false;
  private seen = true;
  private readonly note = h("p");

  constructor(
    title: string,
    body: Node,
    private readonly paint: () => void,
    options: { note?: string; wide?: boolean; extra?: Child } = {},
  ) {
    const head = h("div", { class: "bar-of" }, h("h3", {}, title), options.extra);
    this.note.textContent = options.note ?? "";
    this.element = h("figure", { class: options.wide ? "wide" : null }, h("figcaption", {}, head, this.note), body);
    const margin = { rootMargin: "200px" };
    new IntersectionObserver((entries) => {
      this.seen = entries[entries.length - 1].isIntersecting;
      if (this.seen) this.flush();
    }, margin).observe(this.element);
  }

  /** Say what the picture shows. */
  say(...note: Child[]): void {
    refill(this.note, ...note);
  }

  /** Draw anew: now if it can be seen, else when it comes into sight. */
  refresh(): void {
    this.dirty = true;
    if (this.seen) this.flush();
  }

  /** Draw if there is something new to draw. */
  flush(): void {
    if (!this.dirty) return;
    this.dirty = false;
    this.paint();
  }
}
