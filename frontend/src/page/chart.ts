/** A small chart: axes, layers, marks that move, and a legend that says values or reads them off. */
import { type Child, freshId, h, HIDDEN, named, on, refill, s } from "./dom";
import {
  type Area,
  type Dots,
  type Drawing,
  type Layer,
  type Line,
  type Mark,
  marker,
  type Numbers,
  type Reading,
  swatch,
  toneClass,
  valueAt,
} from "./layers";
import { within } from "./scale";
import { about, number } from "./text";

const FONT = 12;

/** A chart in a box: follows the box's width, shows values under the pointer or the arrow keys. */
export class Chart {
  readonly #height: number;
  readonly element: HTMLElement;
  readonly #plot = h("div.plot", { role: "group", tabindex: 0 });
  readonly #legend = h("ul.legend");
  readonly #spoken = h("p.unseen", { role: "status" });
  #picture: Drawing | null = null;
  #marks: Mark[] = [];
  #readings: Reading[] = [];
  #rest = NaN; // x at which the legend reads when nobody points
  #moving: SVGGElement | null = null;
  #cursor: SVGLineElement | null = null;
  #values: { layer: Line | Area | Dots; shown: HTMLElement }[] = [];
  #place = h("b");
  #frame = { left: 0, top: 0, width: 0, height: 0, outer: 0 };
  #width = 0;
  #pointed: number | null = null; // share of the x axis

  constructor(height: number) {
    this.#height = height;
    this.element = h("div.chart", this.#plot, this.#legend, this.#spoken);
    this.#plot.addEventListener("pointermove", (event) => this.#point(event));
    on(this.#plot, "pointerleave", () => this.#leave());
    on(this.#plot, "blur", () => this.#leave());
    this.#plot.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width === this.#width) return;
      this.#width = width;
      this.#render();
    }).observe(this.#plot);
  }

  /** Show a picture; the marks stay until they are moved. */
  draw(picture: Drawing): void {
    this.#picture = picture;
    this.#plot.setAttribute("aria-label", picture.summary);
    this.#refillLegend();
    this.#render();
  }

  /** Move the marks; unless somebody points elsewhere the legend gives values at `rest`: those of `readings`, of marks, or as read off. */
  mark(marks: Mark[], rest = NaN, readings: Reading[] = []): void {
    this.#marks = marks;
    this.#readings = readings;
    this.#rest = rest;
    this.#renderMarks();
    this.#read();
  }

  #render(): void {
    const picture = this.#picture;
    const outer = this.#width; // told, not asked for: asking would lay out the page anew
    if (!picture || outer < 40) return;
    const height = picture.square ? Math.min(outer, 400) : this.#height;
    const yTicks = picture.y.scale.ticks(Math.max(2, Math.floor((height - 60) / 38)));
    const left = 10 + Math.max(...yTicks.map((tick) => tick.text.length), 1) * FONT * 0.58;
    this.#frame = { left, top: 24, width: outer - left - 12, height: height - 24 - 40, outer };
    const id = freshId("chart");
    const svg = s("svg", {
      viewBox: `0 0 ${outer} ${height}`,
      width: outer,
      height,
      preserveAspectRatio: "xMinYMid", // in print, where its height is limited
      role: "img",
      "aria-labelledby": id,
    });
    const clip = freshId("clip");
    svg.append(
      s("title", { id }, picture.summary),
      s("desc", `${picture.y.label} over ${picture.x.label}; arrow keys read values off`),
      s("clipPath", { id: clip }, s("rect", this.#box(0))),
      this.#axes(picture, yTicks),
    );
    const inside = s("g", { "clip-path": `url(#${clip})` });
    for (const layer of picture.layers) inside.append(...this.#shapes(layer));
    this.#cursor = s("line.cursor", {
      y1: this.#frame.top,
      y2: this.#frame.top + this.#frame.height,
    });
    this.#cursor.setAttribute("visibility", "hidden");
    this.#moving = s("g.marks");
    svg.append(inside, this.#cursor, this.#moving);
    refill(this.#plot, svg);
    this.#renderMarks();
    this.#read();
  }

  #box(grow: number) {
    const { left, top, width, height } = this.#frame;
    return {
      x: left - grow,
      y: top - grow,
      width: Math.max(0, width + 2 * grow),
      height: Math.max(0, height + 2 * grow),
    };
  }

  #x(value: number): number {
    return this.#frame.left + this.#picture!.x.scale.share(value) * this.#frame.width;
  }

  #y(value: number): number {
    return this.#frame.top + (1 - this.#picture!.y.scale.share(value)) * this.#frame.height;
  }

  #axes(picture: Drawing, yTicks: { at: number; text: string }[]): SVGGElement {
    const { left, top, width, height } = this.#frame;
    const axes = s("g.axes", HIDDEN);
    for (const { at, text } of yTicks) {
      const y = this.#y(at).toFixed(1);
      axes.append(s("line.grid", { x1: left, x2: left + width, y1: y, y2: y }));
      axes.append(s("text", { x: left - 6, y, dy: "0.35em", "text-anchor": "end" }, text));
    }
    let end = -Infinity;
    for (const { at, text } of picture.x.scale.ticks(Math.max(2, Math.floor(width / 70)))) {
      const x = this.#x(at);
      const half = (text.length * FONT * 0.58) / 2;
      axes.append(s("line.tick", { x1: x, x2: x, y1: top + height, y2: top + height + 4 }));
      if (x - half < end + 6) continue;
      end = Math.min(x + half, left + width + 10);
      const anchor = x + half > left + width + 10 ? "end" : "middle";
      const at2 = anchor === "end" ? left + width + 10 : x;
      axes.append(s("text", { x: at2, y: top + height + 17, "text-anchor": anchor }, text));
    }
    axes.append(s("line.base", { x1: left, x2: left + width, y1: top + height, y2: top + height }));
    axes.append(s("text.label", { x: 0, y: 12 }, picture.y.label));
    axes.append(
      s(
        "text.label",
        { x: left + width, y: top + height + 34, "text-anchor": "end" },
        picture.x.label,
      ),
    );
    return axes;
  }

  #shapes(layer: Layer): SVGElement[] {
    const tone = toneClass(layer.tone);
    if (layer.kind === "line") {
      return [
        s("path", {
          class: `line ${tone} ${layer.dash ?? ""} ${layer.faint ? "faint" : ""}`,
          d: this.#path(layer.xs, layer.ys, layer.step),
        }),
      ];
    }
    if (layer.kind === "band") {
      const back = Array.from(layer.xs, (_, i) => layer.xs.length - 1 - i);
      const there = this.#path(layer.xs, layer.highs);
      const again = this.#path(
        back.map((i) => layer.xs[i]),
        back.map((i) => layer.lows[i]),
      );
      return there && again
        ? [s("path", { class: `band ${tone}`, d: `${there}L${again.slice(1)}Z` })]
        : [];
    }
    return layer.kind === "area" ? [this.#area(layer, tone)] : this.#dots(layer, tone);
  }

  #area(layer: Area, tone: string): SVGElement {
    const floor = this.#y(0).toFixed(1);
    let d = `M${this.#x(layer.edges[0]).toFixed(1)} ${floor}`;
    for (let i = 0; i < layer.heights.length; i += 1) {
      d += `V${this.#y(layer.heights[i]).toFixed(1)}H${this.#x(layer.edges[i + 1]).toFixed(1)}`;
    }
    return s("path", { class: `area ${tone} ${layer.dash ?? ""}`, d: `${d}V${floor}` });
  }

  #dots(layer: Dots, tone: string): SVGElement[] {
    return Array.from(layer.xs, (at, i) => {
      const [x, y] = [this.#x(at), this.#y(layer.ys[i])];
      if (!isFinite(x) || !isFinite(y)) return null;
      const size = 2 + 3.5 * Math.sqrt(layer.sizes ? layer.sizes[i] : 0.4);
      return s("g", { class: `dot ${tone}` }, marker(layer.tone, x, y, size));
    }).filter((dot) => dot !== null);
  }

  /** Return the path through the points that differ on the screen; gaps where a value is not a number. */
  #path(xs: Numbers, ys: Numbers, step = false): string {
    let d = "";
    let pen = false;
    let [lastX, lastY] = [NaN, NaN];
    for (let i = 0; i < xs.length; i += 1) {
      const x = pixel(this.#x(xs[i]));
      const y = pixel(this.#y(ys[i]));
      if (isNaN(x) || isNaN(y)) {
        pen = false;
        continue;
      }
      if (pen && x === lastX && y === lastY) continue;
      d += !pen ? `M${x} ${y}` : step ? `H${x}V${y}` : `L${x} ${y}`;
      [lastX, lastY, pen] = [x, y, true];
    }
    return d;
  }

  #renderMarks(): void {
    if (!this.#moving || !this.#picture) return;
    this.#moving.replaceChildren(...this.#marks.flatMap((mark) => this.#markShapes(mark)));
  }

  #markShapes(mark: Mark): SVGElement[] {
    const { left, top, width, height } = this.#frame;
    const raw = this.#x(mark.x);
    if (isNaN(raw)) return [];
    const x = within(left, left + width, raw);
    const tone = toneClass(mark.tone);
    if (mark.y !== undefined) {
      const y = this.#y(mark.y);
      if (isNaN(y)) return [];
      return [
        s("g", { class: `mark ${tone}` }, marker(mark.tone, x, within(top, top + height, y), 5.5)),
      ];
    }
    const rule = s("line", {
      class: `rule ${tone} ${mark.dash ?? ""}`,
      x1: x,
      x2: x,
      y1: top,
      y2: top + height,
    });
    if (!mark.text) return [rule];
    const flip = x + mark.text.length * FONT * 0.56 + 6 > left + width;
    const row = this.#marks.filter((m) => m.text).indexOf(mark);
    const at = {
      x: flip ? x - 5 : x + 5,
      y: top + 11 + 15 * row,
      "text-anchor": flip ? "end" : "start",
    };
    return [rule, s("text", { class: `halo ${tone}`, ...at }, mark.text)];
  }

  #refillLegend(): void {
    this.#values = [];
    const items: Child[] = [h("li.place", this.#place)];
    for (const layer of this.#picture!.layers) {
      if (layer.kind === "band" || (layer.kind === "line" && layer.silent)) continue;
      const shown = h("b");
      items.push(
        h("li", { class: toneClass(layer.tone) }, swatch(layer), named(layer.name), " ", shown),
      );
      this.#values.push({ layer, shown });
    }
    refill(this.#legend, ...items);
  }

  #point(event: PointerEvent): void {
    const box = this.#plot.getBoundingClientRect();
    this.#pointed = within(0, 1, (event.clientX - box.left - this.#frame.left) / this.#frame.width);
    this.#read();
  }

  #leave(): void {
    this.#pointed = null;
    this.#read();
  }

  #key(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowLeft: -0.01,
      ArrowRight: 0.01,
      PageDown: -0.1,
      PageUp: 0.1,
      Home: -1,
      End: 1,
    };
    const step = steps[event.key];
    if (step === undefined || !this.#picture) return;
    event.preventDefault();
    const from =
      this.#pointed ??
      this.#picture.x.scale.share(isNaN(this.#rest) ? this.#picture.x.scale.low : this.#rest);
    this.#pointed = within(0, 1, from + step);
    this.#read();
    this.#spoken.textContent = this.#legend.innerText.replace(/\s+/g, " ");
  }

  /** Return what the legend says of a layer: at rest what was found for it, else as read off. */
  #said(layer: Line | Area | Dots, at: number): string {
    const found = this.#pointed === null && layer.kind === "line" ? this.#found(layer, at) : null;
    const value = found?.y ?? valueAt(layer, at);
    if (isNaN(value)) return "";
    const { scale, read } = this.#picture!.y;
    const small = Math.abs(value) < 1e-9 * (scale.high - scale.low); // what rounding leaves of 0
    if (found?.sure === false) return about(small ? 0 : value, false, found.digits);
    return (read ?? number)(small ? 0 : value);
  }

  #found(line: Line, at: number): Partial<Reading> | undefined {
    const known = this.#readings.find(({ tone, dash }) => tone === line.tone && dash === line.dash);
    if (known || line.dash) return known;
    return this.#marks.find((mark) => mark.tone === line.tone && mark.x === at);
  }

  #read(): void {
    const picture = this.#picture;
    if (!picture) return;
    const at = this.#pointed === null ? this.#rest : picture.x.scale.value(this.#pointed);
    const shown = !isNaN(at);
    this.#place.textContent = shown ? (picture.x.read ?? number)(at) : "";
    for (const { layer, shown: cell } of this.#values) {
      cell.textContent = shown ? this.#said(layer, at) : "";
    }
    if (!this.#cursor) return;
    this.#cursor.setAttribute("visibility", this.#pointed === null ? "hidden" : "visible");
    if (this.#pointed !== null) {
      this.#cursor.setAttribute("x1", String(this.#x(at)));
      this.#cursor.setAttribute("x2", String(this.#x(at)));
    }
  }
}

/** Return a place on the screen in tenths of a pixel, near enough for a browser. */
function pixel(at: number): number {
  return Math.round(10 * within(-1e4, 1e4, at)) / 10;
}
