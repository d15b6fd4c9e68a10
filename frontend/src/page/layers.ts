/** What a chart is made of: layers, marks, axes, and how a legend reads values off them. */
import { HIDDEN, s } from "./dom";
import { type Scale, within } from "./scale";

/** Which colour a thing has: that of a system (0, 1, ...), or grey. */
export type Tone = number | "quiet";
export type Numbers = ArrayLike<number>;

export interface Line {
  kind: "line";
  name: string;
  tone: Tone;
  xs: Numbers;
  ys: Numbers;
  dash?: "dashed" | "dotted";
  step?: boolean; // flat until the next x
  silent?: boolean; // not in the legend
  faint?: boolean; // drawn lightly: another one is looked at
}
export interface Band {
  kind: "band";
  tone: Tone;
  xs: Numbers;
  lows: Numbers;
  highs: Numbers;
}
export interface Dots {
  kind: "dots";
  name: string;
  tone: Tone;
  xs: Numbers;
  ys: Numbers;
  sizes?: Numbers; // share of the largest
}
export interface Area {
  kind: "area"; // steps filled down to 0
  name: string;
  tone: Tone;
  edges: Numbers; // one more than heights
  heights: Numbers;
  dash?: "dashed" | "dotted";
}
export type Layer = Line | Band | Dots | Area;

export interface Mark {
  tone: Tone;
  x: number;
  y?: number; // without it, a rule from top to bottom
  text?: string; // beside a rule
  dash?: "dashed" | "dotted";
}

/** What the legend says of the line of a tone and a dash while nobody points. */
export interface Reading {
  tone: Tone;
  dash?: Line["dash"];
  y: number;
  sure?: boolean; // false: its last digits are not
  digits?: number;
}

export interface Axis {
  scale: Scale;
  label: string;
  read?: (value: number) => string; // how the legend says it
}

export interface Drawing {
  summary: string; // what a screen reader says
  x: Axis;
  y: Axis;
  layers: Layer[];
  square?: boolean;
}

const SHAPES = 4;
const COLOURS = 8; // distinct without red and green too; further systems have them again, with another dash

/** Return the value of a layer at x: between points on a line, of the step or dot there. */
export function valueAt(layer: Line | Area | Dots, at: number): number {
  const xs = layer.kind === "area" ? layer.edges : layer.xs;
  const n = xs.length;
  if (n === 0) return NaN;
  if (layer.kind === "dots") {
    let best = 0;
    for (let i = 1; i < n; i += 1) if (Math.abs(xs[i] - at) < Math.abs(xs[best] - at)) best = i;
    return layer.ys[best];
  }
  const slack = 1e-9 * Math.abs(xs[n - 1] - xs[0]);
  if (at < xs[0] - slack || at > xs[n - 1] + slack) return NaN;
  let [low, high] = [0, n - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= at) low = middle;
    else high = middle;
  }
  if (layer.kind === "area") return layer.heights[Math.min(low, layer.heights.length - 1)];
  if (layer.step) return layer.ys[at >= xs[high] ? high : low];
  const width = xs[high] - xs[low];
  const share = width > 0 ? within(0, 1, (at - xs[low]) / width) : 1;
  return share === 0
    ? layer.ys[low]
    : share === 1
      ? layer.ys[high]
      : layer.ys[low] + share * (layer.ys[high] - layer.ys[low]);
}

/** Return the class that gives a thing its colour. */
export function toneClass(tone: Tone): string {
  if (tone === "quiet") return "quiet";
  return `s${tone % COLOURS}${tone < COLOURS ? "" : " again"}`;
}

/** Return a marker whose shape distinguishes systems without colour. */
export function marker(tone: Tone, x: number, y: number, size: number): SVGElement {
  const form = tone === "quiet" ? 0 : (tone + Math.floor(tone / COLOURS)) % SHAPES;
  if (form === 0) return s("circle", { cx: x, cy: y, r: size });
  const r = size * 1.15;
  if (form === 1)
    return s("rect", {
      x: x - size * 0.9,
      y: y - size * 0.9,
      width: size * 1.8,
      height: size * 1.8,
    });
  if (form === 2) return s("path", { d: `M${x} ${y - r}L${x + r} ${y + r * 0.8}H${x - r}Z` });
  return s("path", {
    d: `M${x} ${y - r * 1.15}L${x + r * 1.15} ${y}L${x} ${y + r * 1.15}L${x - r * 1.15} ${y}Z`,
  });
}

export function swatch(layer: Line | Area | Dots): SVGElement {
  const svg = s("svg.swatch", { viewBox: "0 0 26 12", width: 26, height: 12 }, HIDDEN);
  const tone = toneClass(layer.tone);
  if (layer.kind === "line")
    svg.append(s("path", { class: `line ${tone} ${layer.dash ?? ""}`, d: "M1 6H25" }));
  else if (layer.kind === "area")
    svg.append(s("path", { class: `area ${tone} ${layer.dash ?? ""}`, d: "M2 12V3H24V12" }));
  else svg.append(s("g", { class: `dot ${tone}` }, marker(layer.tone, 13, 6, 4.5)));
  return svg;
}
