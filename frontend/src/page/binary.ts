/** Pictures of two classes: ROC, scores, thresholds, reliability. */
import {
  histogram,
  isotonic,
  type Levels,
  operatingPoint,
  reliability,
  roc,
  sweep,
  type Sweep,
} from "../core/index";
import type { Outcome, Payload, Problem } from "../types";
import { abstention } from "./edits";
import { Picture } from "./figure";
import type { Drawing, Layer, Mark } from "./layers";
import type { Model } from "./model";
import type { Found } from "./results";
import { linear } from "./scale";
import type { Store } from "./store";
import { about, apart, upperLimit, number, percent } from "./text";

const WIDEST = 24; // log odds beyond which scores are not drawn

/** ROC curves, their hulls, and where the decisions are now. */
export class RocPicture extends Picture {
  #drawn = false;

  constructor(model: Model, store: Store) {
    super(model, store, "ROC");
  }

  paint(): void {
    if (!this.#drawn) this.#draw();
    this.#drawn = true;
    const { outcomes, problem } = this.found;
    const at = outcomes.map((one) => ratesOf(one, abstention(problem)));
    const marks = at.map(([x, y], i): Mark => ({ tone: i, x, y }));
    this.chart.mark(marks, at.length === 1 ? at[0][0] : NaN);
  }

  #draw(): void {
    const { drawing, areas } = rocDrawing(this.model.levels, this.model.names);
    this.figure.say(
      `Area under the curve: ${areas}. The mark shows the current decisions; the hull (dashed) is the best that any monotonic calibration, fitted to these samples, could reach.`,
    );
    this.chart.draw(drawing);
  }
}

/** Return ROC curves with their hulls, and the areas under them in words. */
export function rocDrawing(levels: Levels[], names: string[]): { drawing: Drawing; areas: string } {
  const found = levels.map(roc);
  const layers: Layer[] = [
    {
      kind: "line",
      name: "chance",
      tone: "quiet",
      dash: "dotted",
      xs: [0, 1],
      ys: [0, 1],
      silent: true,
    },
  ];
  for (const [i, one] of found.entries()) {
    const name = found.length > 1 ? names[i] : "ROC";
    layers.push({
      kind: "line",
      name: `${found.length > 1 ? `${name}, ` : ""}hull`,
      tone: i,
      dash: "dashed",
      xs: one.hullAlarms.slice().reverse(),
      ys: one.hullDetections.slice().reverse(),
      silent: found.length > 1,
    });
    layers.push({
      kind: "line",
      name,
      tone: i,
      xs: one.alarms.slice().reverse(),
      ys: one.detections.slice().reverse(),
    });
  }
  const areas = levels.map(({ auc }, i) =>
    found.length > 1 ? `${apart(names[i])} ${number(auc)}` : number(auc),
  );
  const drawing: Drawing = {
    summary: `ROC curve, sensitivity over false alarm rate; area ${areas.join(", ")}`,
    x: {
      scale: linear(0, 1),
      label: "false alarm rate",
      read: (v) => `at a false alarm rate of ${number(v)}`,
    },
    y: { scale: linear(0, 1), label: "sensitivity" },
    layers,
    square: true,
  };
  return { drawing, areas: areas.join(", ") };
}

/** Return the rates of false alarms and of detections. */
function ratesOf(outcome: Outcome, free: number): [number, number] {
  const yes = outcome.shares.length - 1 === free ? free - 1 : outcome.shares.length - 1;
  const rate = (row: number[]) => row[yes] / row.reduce((sum, n) => sum + n, 0);
  return [rate(outcome.counts[0]), rate(outcome.counts[1])];
}

/** How the scores of each class are spread, and where decisions change. */
export class Scores extends Picture {
  constructor(model: Model, store: Store) {
    super(model, store, "Scores of each class");
  }

  paint(): void {
    const { regions } = this.found;
    if (this.changed(this.store.focus)) this.#draw();
    const cuts = (regions ?? []).slice(1).map(({ from }) => from);
    this.chart.mark(
      cuts.map((p): Mark => ({ tone: "quiet", x: logOdds(p), text: `P = ${number(p)}` })),
      logOdds(cuts[0] ?? NaN),
    );
  }

  #draw(): void {
    const { payload, levels, names } = this.model;
    const system = levels[this.store.focus];
    const found = spread(system, this.found, this.model);
    const [first, second] = payload.classes;
    const most = Math.max(...found.first, ...found.second, 1e-9);
    const certain = [found.certainFirst, found.certainSecond].flat().some((share) => share > 0)
      ? ` Not shown: P = 0 for ${percent(found.certainFirst[0])} and ${percent(found.certainFirst[1])}, P = 1 for ${percent(found.certainSecond[0])} and ${percent(found.certainSecond[1])} of the classes.`
      : "";
    this.figure.say(
      `${names.length > 1 ? `For ${apart(names[this.store.focus])}. ` : ""}Share of each class by log odds. Decisions change at the vertical lines.${certain}`,
    );
    this.chart.draw({
      summary: `Histogram of the log odds of ${second}, by true class`,
      x: {
        scale: windowOf(found.edges),
        label: `log odds of ${short(second)}`,
        read: (v) => `at log odds ${number(v)}, P = ${number(probability(v))}`,
      },
      y: { scale: linear(0, most * 1.15), label: "share of the class", read: percent },
      layers: [
        { kind: "area", name: first, tone: 2, edges: found.edges, heights: found.first },
        {
          kind: "area",
          name: second,
          tone: 3,
          edges: found.edges,
          heights: found.second,
          dash: "dashed",
        },
      ],
    });
  }
}

/** Return the histogram with bins that stay fine where a few scores are extreme. */
function spread(system: Levels, found: Found, model: Model) {
  const rough = histogram(system, found.problem, model.payload, 48);
  const width = rough.edges[rough.edges.length - 1] - rough.edges[0];
  return width > 2 * WIDEST
    ? histogram(
        system,
        found.problem,
        model.payload,
        Math.min(4000, Math.ceil((48 * width) / (2 * WIDEST))),
      )
    : rough;
}

function windowOf(edges: number[]) {
  return linear(Math.max(-WIDEST, edges[0]), Math.min(WIDEST, edges[edges.length - 1]));
}

/** Cost at every threshold, with the threshold of Bayes and the best on these data. */
export class Thresholds extends Picture {
  constructor(model: Model, store: Store) {
    super(model, store, "Cost at every threshold");
  }

  override show(found: Found): void {
    this.found = found;
    this.figure.element.hidden = operatingPoint(found.problem, this.model.payload) === null;
    if (!this.figure.element.hidden) this.figure.refresh();
  }

  #sweeps(): Sweep[] {
    const { problem } = this.found;
    return this.model.levels
      .map((one) => sweep(one, problem, this.model.payload))
      .filter((one) => one !== null);
  }

  paint(): void {
    const sweeps = this.#sweeps();
    if (sweeps.length === 0) return;
    const several = sweeps.length > 1;
    const finite = sweeps.flatMap((one) => one.logOdds).filter(isFinite);
    const { bayes } = sweeps[0];
    const low = Math.max(-WIDEST, Math.min(...finite, bayes.logOdds - 1));
    const high = Math.min(WIDEST, Math.max(...finite, bayes.logOdds + 1));
    const most = Math.max(...sweeps.flatMap((one) => one.normalized).filter(isFinite), 1);
    const layers: Layer[] = [
      {
        kind: "line",
        name: "best constant decision",
        tone: "quiet",
        dash: "dotted",
        xs: [low, high],
        ys: [1, 1],
        silent: true,
      },
    ];
    layers.push(
      ...sweeps.map((one, i): Layer => ({
        kind: "line",
        name: several ? this.model.names[i] : "normalised cost",
        tone: i,
        xs: one.logOdds,
        ys: one.normalized,
        step: true,
      })),
    );
    const { problem } = this.found;
    const found = sweeps.map((_, i) => this.model.least(i, problem)!);
    const sure = found.map(({ normalized: n, error }) => number(n) === number(n - error));
    const best = found.map(({ normalized, logOdds: z }, i) => {
      const whose = several ? `${apart(this.model.names[i])} ` : "";
      return `${whose}${about(normalized, sure[i])} at P = ${about(probability(z), sure[i])}`;
    });
    const bound = Math.max(...found.map(({ error }, i) => (sure[i] ? 0 : error)));
    const near = bound > 0 ? `, at most ${upperLimit(bound)} too high` : "";
    this.figure.say(
      `Bayes threshold: P = ${number(bayes.threshold)} (solid line). Minimum cost on these data: ${best.join("; ")} (dashed)${near}.`,
    );
    this.chart.draw({
      summary: `Normalised cost over the threshold; Bayes threshold ${number(bayes.threshold)}, minimum ${best.join("; ")}`,
      x: {
        scale: linear(low, high),
        label: "threshold (log odds)",
        read: (v) => `at log odds ${number(v)}, P = ${number(probability(v))}`,
      },
      y: { scale: linear(0, Math.min(2.5, most * 1.05)), label: "normalised cost" },
      layers,
    });
    const points = sweeps.flatMap((one, i): Mark[] => [
      { tone: i, x: found[i].logOdds, dash: "dashed" },
      { tone: i, x: one.bayes.logOdds, y: one.bayes.normalized },
    ]);
    this.chart.mark([{ tone: "quiet", x: bayes.logOdds }, ...points], bayes.logOdds);
  }
}

/** How often the class of interest came true, by its probability. */
export class Reliability extends Picture {
  constructor(model: Model, store: Store) {
    super(model, store, "Reliability");
  }

  paint(): void {
    const { regions } = this.found;
    if (this.changed()) this.#draw();
    const cuts = (regions ?? []).slice(1).map(({ from }) => from);
    this.chart.mark(
      cuts.map((x): Mark => ({ tone: "quiet", x })),
      cuts[0] ?? NaN,
    );
  }

  #draw(): void {
    const { payload, levels, names } = this.model;
    this.figure.say(
      "Observed frequency by predicted probability; on the dotted line, probabilities are calibrated. Decisions change at the vertical line.",
    );
    this.chart.draw(reliabilityDrawing(levels, names, this.found.problem, payload));
  }
}

/** Return how often the second class came true, by its probability. */
export function reliabilityDrawing(
  levels: Levels[],
  names: string[],
  problem: Problem,
  payload: Payload,
): Drawing {
  const several = levels.length > 1;
  const layers: Layer[] = [
    {
      kind: "line",
      name: "perfect",
      tone: "quiet",
      dash: "dotted",
      xs: [0, 1],
      ys: [0, 1],
      silent: true,
    },
  ];
  for (const [i, system] of levels.entries()) {
    const steps = isotonic(system, problem, payload);
    const bins = reliability(system, problem, payload, "mass", 15);
    layers.push({
      kind: "line",
      name: several ? names[i] : "isotonic fit",
      tone: i,
      xs: steps.flatMap((one) => [one.from, one.to]),
      ys: steps.flatMap((one) => [one.frequency, one.frequency]),
    });
    if (!several)
      layers.push({
        kind: "dots",
        name: "bins of equal weight",
        tone: i,
        xs: bins.probability,
        ys: bins.frequency,
      });
  }
  return {
    summary: `Reliability diagram of P(${payload.classes[1]})`,
    x: {
      scale: linear(0, 1),
      label: `P(${short(payload.classes[1])})`,
      read: (v) => `at P = ${number(v)}`,
    },
    y: { scale: linear(0, 1), label: "observed frequency" },
    layers,
    square: true,
  };
}

function probability(z: number): number {
  return 1 / (1 + Math.exp(-z));
}

function logOdds(p: number): number {
  return Math.log(p / (1 - p));
}

function short(name: string): string {
  return apart(name.length > 24 ? `${name.slice(0, 23)}…` : name);
}
