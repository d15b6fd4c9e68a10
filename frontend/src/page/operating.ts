/** Cost at every operating point, in the dialect of a field. */
import {
  entropyCurve,
  type Levels,
  type OperatingPoint,
  operatingPoint,
  ratioOf,
  type Reference,
  type RiskCurve,
  riskCurve,
  type View,
} from "../core/index";
import { type Choice, CHOICES, DIALECTS, entropyView, mostIn, placed, viewOf, xScale } from "./dialects";
import { h, on } from "./dom";
import { Picture } from "./figure";
import type { Layer, Mark, Reading } from "./layers";
import type { Model } from "./model";
import { linear } from "./scale";
import type { Store } from "./store";
import { apart, upperLimit, number } from "./text";

const MOST_BOLD = 3; // systems whose lines all stand out
const FEW = 3000; // samples of a class below which a line of costs is jagged by chance
const REACH = 0.3; // log odds to either side over which such a line is smoothed
const REFERENCES = { naive: "best constant decision", all: "act on all", none: "act on none" };

type Drawn = Exclude<Choice, "entropy">;

/** A curve at one point, and how far what rests on its minimum can be off; 0 where no digit that is shown is. */
interface Point {
  view: View;
  error: number;
}

/** The cost curve, with the menu of its dialects and the operating point of now. */
export class CostCurves extends Picture {
  readonly #menu: HTMLSelectElement;
  #curves: RiskCurve[] = [];
  #drawn = ""; // what is to be said about the lines
  #choice: Choice = "ratio";

  constructor(model: Model, store: Store) {
    const options = CHOICES.map((one) => h("option", { value: one }, DIALECTS[one].name));
    const menu = h("select", { "aria-label": "kind of cost curve" }, ...options);
    super(model, store, "Cost as misses become more expensive", { wide: true, extra: menu });
    this.#menu = menu;
    on(menu, "change", () => {
      this.#choice = this.#menu.value as Choice;
      this.figure.refresh();
    });
  }

  paint(): void {
    const { problem } = this.found;
    const { payload, levels } = this.model;
    const focus = levels.length > MOST_BOLD ? this.store.focus : -1;
    if (this.changed(problem.fromData, this.#choice, focus)) {
      this.#curves = levels.map((one) => riskCurve(one, problem, payload));
      this.#draw();
    }
    const dialect = DIALECTS[this.#choice];
    const choice = this.#choice;
    if (choice === "entropy") {
      this.#markEntropy();
      return;
    }
    const point = operatingPoint(problem, payload);
    if (!point) {
      this.chart.mark([]);
      this.figure.say(`${dialect.note} No point is marked, because the curve is for two decisions.`);
      return;
    }
    const x = placed(choice, point.theta, this.model.priors(problem));
    const here = levels.map((_, i) => this.#pointOf(i, point, choice));
    const marks = here.map(({ view }, i): Mark => ({ tone: i, x, y: view.actual[0] }));
    const loss = choice === "calibrationLoss";
    const readings = [
      ...here[0].view.references.map((line): Reading => ({ ...styleOf(line), y: line.y[0] })),
      ...here.map(({ view, error }, i): Reading => {
        const sure = error === 0;
        return loss
          ? { tone: i, y: view.actual[0], sure }
          : { tone: i, dash: "dashed", y: view.minimum[0], sure };
      }),
    ];
    this.chart.mark([{ tone: "quiet", x }, ...marks], x, readings);
    const bound = Math.max(...here.map(({ error }) => error));
    const what = loss ? "loss" : "minimum";
    const near = ` The ${what} at this point is within ${upperLimit(bound)} of the value for all scores.`;
    this.figure.say(dialect.note + this.#drawn + (bound > 0 ? near : ""));
  }

  /** Return a system at the point of now; its least cost is that of the report where that has one. */
  #pointOf(i: number, { theta, base, scale }: OperatingPoint, choice: Drawn): Point {
    const { problem, error } = this.found;
    const curve = riskCurve(this.model.levels[i], problem, this.model.payload, [theta]);
    const least = this.model.least(i, problem)!;
    const viewAt = (cost: number) => viewOf({ ...curve, minimum: [(cost - base) / scale] }, choice);
    const [view, other] = [viewAt(least.cost), viewAt(least.low)];
    const loss = choice === "calibrationLoss";
    const [value, end] = [view, other].map((one) => (loss ? one.actual : one.minimum)[0]);
    const more = loss ? error : 0; // of the actual cost
    return { view, error: number(value) === number(end) && more === 0 ? 0 : Math.abs(value - end) + more };
  }

  #markEntropy(): void {
    const { problem } = this.found;
    const { payload, levels, exact } = this.model;
    const [first, second] = this.model.priors(problem);
    const x = Math.log10(second / first);
    this.figure.say(DIALECTS.entropy.note + (exact ? "" : " Computed on a grid of scores."));
    const readingsOf = (one: Levels, i: number): Reading[] => {
      const { actual, minimum, naive } = entropyCurve(one, problem, payload, [x]);
      const style = { tone: i, sure: exact, digits: 3 };
      return [
        { ...style, y: actual[0] },
        { ...style, dash: "dashed", y: minimum[0] },
        { ...styleOf({ name: "naive" }), y: naive[0] },
      ];
    };
    this.chart.mark([{ tone: "quiet", x }], x, isFinite(x) ? levels.flatMap(readingsOf) : []);
  }

  #views(): View[] {
    const choice = this.#choice;
    if (choice !== "entropy") return this.#curves.map((curve) => viewOf(curve, choice));
    const { problem } = this.found;
    const { payload, levels } = this.model;
    return levels.map((one) => entropyView(entropyCurve(one, problem, payload)));
  }

  #draw(): void {
    const views = this.#views();
    const dialect = DIALECTS[this.#choice];
    const scale = xScale(this.#choice, ratioOf(this.store.initial) ?? 1);
    const { priors } = this.#curves[0];
    const [low, high] = dialect.reach(mostIn(scale, views), priors);
    const several = views.length > 1;
    const whose = (i: number) =>
      several ? apart(this.model.names[i]) : this.#choice === "calibrationLoss" ? "loss" : "actual";
    const faint = (i: number) => several && views.length > MOST_BOLD && i !== this.store.focus;
    const bands = views.map((one, i) => (faint(i) ? [] : bandsOf(one, i, high - low)));
    const layers: Layer[] = bands.flat();
    const lines = views.map((one, i) => lineOf(one.actual, one.x, this.#curves[i], this.#choice));
    const some = views.some((one, i) => lines[i] !== one.actual);
    const cut = views.some((one, i) => !faint(i) && one.band !== null && !whole(one, bands[i]));
    this.#drawn =
      (some ? " Lines are smoothed because there are few samples; marks and the numbers below are not." : "") +
      (cut ? " The interval band is omitted where it would fill the chart." : "");
    layers.push(
      ...views[0].references.map((line): Layer => ({
        kind: "line",
        name: REFERENCES[line.name],
        ...styleOf(line),
        xs: views[0].x,
        ys: line.y,
      })),
    );
    for (const [i, one] of views.entries()) {
      layers.push({ kind: "line", name: whose(i), tone: i, xs: one.x, ys: lines[i], faint: faint(i) });
      if (one.minimum.length > 0 && !faint(i))
        layers.push({
          kind: "line",
          name: several ? `${whose(i)}, minimum` : "minimum",
          tone: i,
          dash: "dashed",
          xs: one.x,
          ys: one.minimum,
        });
    }
    this.chart.draw({
      summary: `${dialect.name}: ${dialect.y} over ${dialect.x}`,
      x: { scale, label: dialect.x, read: (v) => `${dialect.x}: ${number(v)}` },
      y: { scale: linear(low, high), label: dialect.y },
      layers,
    });
  }
}

/** Return how a reference line is drawn. */
function styleOf({ name }: Pick<Reference, "name">): { tone: "quiet"; dash: "dashed" | "dotted" } {
  return { tone: "quiet", dash: name === "all" ? "dashed" : "dotted" };
}

/** Return a band, in parts where it would be nearly as high as the picture and say nothing. */
function bandsOf(one: View, tone: number, height: number): Layer[] {
  if (!one.band) return [];
  const { low, high } = one.band;
  const layers: Layer[] = [];
  let run: number[] = [];
  const put = () => {
    const part = (values: ArrayLike<number>) => run.map((i) => values[i]);
    if (run.length > 1)
      layers.push({ kind: "band", tone, xs: part(one.x), lows: part(low), highs: part(high) });
    run = [];
  };
  for (let i = 0; i < one.x.length; i += 1)
    if (high[i] - low[i] < 0.8 * height) run.push(i);
    else put();
  put();
  return layers;
}

/** Tell whether a band is drawn all along. */
function whole(one: View, layers: Layer[]): boolean {
  const drawn = layers.reduce((sum, layer) => sum + (layer.kind === "band" ? layer.xs.length : 0), 0);
  return drawn === one.x.length;
}

/** Return a line as it is drawn: costs of few samples as their mean over nearby ratios. */
function lineOf(ys: number[], xs: number[], curve: RiskCurve, choice: Choice): number[] {
  const few = curve.errors !== null && Math.min(...curve.errors.size) < FEW;
  if (!few || (choice !== "ratio" && choice !== "bayesError")) return ys;
  const at = choice === "ratio" ? xs.map(Math.log) : xs;
  let [low, high, sum] = [0, 0, 0];
  return ys.map((y, i) => {
    while (high < ys.length && at[high] <= at[i] + REACH) sum += ys[high++];
    while (at[low] < at[i] - REACH) sum -= ys[low++];
    return isNaN(sum) ? y : sum / (high - low);
  });
}
