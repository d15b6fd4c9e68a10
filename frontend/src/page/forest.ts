/** Pictures of a comparison: the forest of differences, and which system costs least at which odds. */
import type { DifferenceData, OddsData, Payload } from "../types";
import { marker, toneClass } from "./layers";
import { h, HIDDEN, named, s } from "./dom";
import { logarithmic, within } from "./scale";
import { number, range } from "./text";

const MOST_ROWS = 12;
const MOVED =
  "No mark: this chart holds at the priors of the report, and posteriors used as given do not follow other priors.";
// Metrics on the scale of the normalised cost, those that decide first; others have units of their own.
const ORDER = [
  /(^|\.)nec$/,
  /minimum_nec$/,
  /cross_entropy\.normalized$/,
  /\.normalized$/,
  /^auc$/,
  /balanced_accuracy$/,
  /accuracy$/,
  /sensitivity$/,
  /specificity$/,
  /matthews_correlation$/,
  /f1_score$/,
  /^eer$/,
  /precision$/,
  /recall$/,
];

/** Return the forest of each system's differences to the reference; null without any. */
export function forest(payload: Payload, tones: Map<string, number>): HTMLElement | null {
  const systems = [...new Set(payload.differences.map((one) => one.system))];
  const groups = systems.map((system) =>
    chosen(payload.differences.filter((one) => one.system === system)),
  );
  const all = groups.flat();
  if (all.length === 0) return null;
  const most = Math.max(
    ...all.flatMap((one) => [one.value, one.low ?? 0, one.high ?? 0]).map(Math.abs),
    1e-9,
  );
  const reference = [...tones.keys()].find((name) => !systems.includes(name));
  const than = h("p.sides", HIDDEN, h("span", "← worse"), h("span", "better →"));
  const bodies = groups.flatMap((rows, i) => [
    h(
      "h4",
      named(systems[i]),
      " compared with ",
      reference === undefined ? "the reference" : named(reference),
    ),
    h(
      "ul.forest",
      ...rows.map((one) => forestRow(one, most, tones.get(systems[i]) ?? i)),
    ),
  ]);
  return h("div", than, ...bodies);
}

function chosen(differences: DifferenceData[]): DifferenceData[] {
  const rank = (one: DifferenceData) => ORDER.findIndex((pattern) => pattern.test(one.metric));
  const fit = differences.filter((one) => rank(one) >= 0 && isFinite(one.value));
  return fit.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_ROWS);
}

/** Return a row of a forest: a name, a value and its interval. */
export function forestRow(one: DifferenceData, most: number, tone: number): HTMLElement {
  const sign = one.better === "lower" ? -1 : 1;
  const at = (value: number) => `${50 + (47 * sign * value) / most}%`;
  const known = one.low !== null && one.high !== null;
  const track = s("svg", { class: `track ${toneClass(tone)}`, width: "100%", height: 20 }, HIDDEN);
  track.append(s("line.zero", { x1: "50%", x2: "50%", y1: 0, y2: 20 }));
  if (known)
    track.append(s("line.whisker", { x1: at(one.low!), x2: at(one.high!), y1: 10, y2: 10 }));
  const spot = s("svg", { x: at(one.value), y: 10, overflow: "visible" }, marker(tone, 0, 0, 4));
  track.append(s("g", { class: one.sure ? "dot" : "dot hollow" }, spot));
  const band = known ? `interval ${range(one.low!, one.high!)}` : "no interval";
  const value = h(
    "span.number",
    { title: band },
    (one.value > 0 ? "+" : "") + number(one.value),
    h("span.unseen", `, ${one.better} is better, ${band}`),
  );
  return h("li", named(one.label), track, value);
}

/** A strip of odds, coloured by the system that costs least where one is named, with a mark for the odds now. */
export class OddsStrip {
  readonly #odds: OddsData[];
  readonly element: HTMLElement;
  readonly #scale = logarithmic(1e-3, 1e3);
  readonly #pin = h("span.pin", { hidden: true });
  readonly #now = h("p.hint");

  constructor(odds: OddsData[], tones: Map<string, number>) {
    this.#odds = odds;
    const strip = h("div.strip");
    const gap = h("span", { class: "part none" });
    gap.style.width = `${100 * this.#share(odds[0].low)}%`;
    strip.append(gap);
    for (const one of odds) {
      const from = this.#share(one.low);
      const width = this.#share(one.high) - from;
      if (width <= 0) continue;
      const tone =
        one.system === null ? "none" : toneClass(tones.get(one.system) ?? 0);
      const part = h(
        "span",
        { class: `part ${tone}`, title: nameOf(one) + words(one) },
        width > 0.14 && one.system !== null && named(one.system),
      );
      part.style.width = `${100 * width}%`;
      strip.append(part);
    }
    const ticks = this.#scale.ticks(7).map(({ at, text }) => {
      const tick = h("span", text);
      tick.style.left = `${100 * this.#share(at)}%`;
      return tick;
    });
    strip.append(this.#pin);
    const more = odds.length - MOST_ROWS;
    const list = h(
      "ul.plain",
      ...odds.slice(0, MOST_ROWS).map((one) => h("li", named(nameOf(one)), words(one))),
      more > 0 && h("li", `and ${more} more: see Details`),
    );
    this.element = h("div.odds", strip, h("div.ticks", HIDDEN, ...ticks), this.#now, list);
  }

  /** Move the mark to some odds c12 P1 / (c21 P2); hide it where there are none, or the strip does not hold. */
  show(odds: number, fits: boolean): void {
    this.#pin.hidden = !(fits && odds > 0 && odds < Infinity);
    if (this.#pin.hidden) {
      this.#now.textContent = fits ? "" : MOVED;
      return;
    }
    this.#pin.style.left = `${100 * this.#share(odds)}%`;
    const here = this.#odds.find((one) => odds >= one.low && odds < one.high);
    const where = `Now at odds ${number(odds)}`;
    if (here === undefined)
      this.#now.replaceChildren(`${where}, beyond the thresholds that were observed.`);
    else if (here.system === null)
      this.#now.replaceChildren(`${where}: no system is distinguishable, tested at all odds together.`);
    else this.#now.replaceChildren(`${where}: `, named(here.system), " costs least.");
  }

  #share(odds: number): number {
    return odds <= 0 ? 0 : within(0, 1, this.#scale.share(odds));
  }
}

function nameOf(one: OddsData): string {
  return one.system ?? "none distinguishable";
}

function words(one: OddsData): string {
  return ` from ${number(one.low)} to ${number(one.high)}`;
}
