/** Cost at every operating point, in the dialect of a field. */
import { entropyCurve, operatingPoint, type RiskCurve, riskCurve, type View } from "../core/index";
import { type Choice, CHOICES, DIALECTS, entropyView, mostIn, placed, viewOf, xScale } from "./dialects";
import { h, on } from "./dom";
import { Picture } from "./figure";
import type { Layer, Mark } from "./layers";
import type { Model } from "./model";
import { linear } from "./scale";
import type { Store } from "./store";
import { apart, number } from "./text";

const REFERENCES = { naive: "best constant answer", all: "act on all", none: "act on none" };

/** The cost curve, with the menu of its dialects and the operating point of now. */
export class CostCurves extends Picture {
  readonly #menu: HTMLSelectElement;
  #curves: RiskCurve[] = [];
  #choice: Choice = "bayesError";

  constructor(model: Model, store: Store) {
    const options = CHOICES.map((one) => h("option", { value: one }, DIALECTS[one].name));
    const menu = h("select", { "aria-label": "kind of cost curve" }, ...options);
    super(model, store, "Cost at every operating point", { wide: true, extra: menu });
    this.#menu = menu;
    on(menu, "change", () => {
      this.#choice = this.#menu.value as Choice;
      this.figure.refresh();
    });
  }

  paint(): void {
    const { problem } = this.found;
    const { payload, levels } = this.model;
    if (this.changed(problem.fromData, this.#choice)) {
      this.#curves = levels.map((one) => riskCurve(one, problem, payload));
      this.#draw();
    }
    const dialect = DIALECTS[this.#choice];
    if (this.#choice === "entropy") {
      const [first, second] = this.model.priors(problem);
      const x = Math.log10(second / first);
      this.figure.say(dialect.note);
      this.chart.mark([{ tone: "quiet", x }], x);
      return;
    }
    const point = operatingPoint(problem, payload);
    if (!point) {
      this.chart.mark([]);
      this.figure.say(`${dialect.note} No point is marked: the curve is of two decisions.`);
      return;
    }
    this.figure.say(dialect.note);
    const x = placed(this.#choice, point.theta, this.model.priors(problem));
    const choice = this.#choice;
    const marks = levels.map((one, i): Mark => {
      const here = viewOf(riskCurve(one, problem, payload, [point.theta]), choice);
      return { tone: i, x, y: here.actual[0] };
    });
    this.chart.mark([{ tone: "quiet", x }, ...marks], x);
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
    const scale = xScale(this.#choice);
    const { priors } = this.#curves[0];
    const [low, high] = dialect.reach(mostIn(scale, views), priors);
    const several = views.length > 1;
    const whose = (i: number) =>
      several ? apart(this.model.names[i]) : this.#choice === "calibrationLoss" ? "loss" : "actual";
    const layers: Layer[] = views.flatMap((one, i) => bandOf(one, i));
    layers.push(
      ...views[0].references.map((line): Layer => ({
        kind: "line",
        name: REFERENCES[line.name],
        tone: "quiet",
        dash: line.name === "all" ? "dashed" : "dotted",
        xs: views[0].x,
        ys: line.y,
      })),
    );
    for (const [i, one] of views.entries()) {
      layers.push({ kind: "line", name: whose(i), tone: i, xs: one.x, ys: one.actual });
      if (one.minimum.length > 0)
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
      x: { scale, label: dialect.x, read: (v) => `at ${dialect.x} ${number(v)}` },
      y: { scale: linear(low, high), label: dialect.y },
      layers,
    });
  }
}

function bandOf(one: View, tone: number): Layer[] {
  return one.band
    ? [{ kind: "band", tone, xs: one.x, lows: one.band.low, highs: one.band.high }]
    : [];
}
