/** Pictures of responses: points over all targets, stated confidence, risk over coverage, slices, who is best. */
import {
  bestAt,
  bestRanges,
  type ResponseSystem,
  riskCoverage,
  ruleAt,
  RULES,
  type RuleName,
  statedReliability,
} from "../core/responses";
import type { ResponsesData } from "../types";
import { Chart } from "./chart";
import { h, HIDDEN, named } from "./dom";
import { Figure, type FigureOptions } from "./figure";
import { forestRow } from "./forest";
import { type Layer, type Line, type Mark, toneClass } from "./layers";
import { targetText } from "./response_answer";
import type { ResponsesAbout, ResponsesFound } from "./responses";
import { linear } from "./scale";
import { count, number, percent } from "./text";

const TARGETS = Array.from({ length: 199 }, (_, k) => k / 200); // 0 to 0.99
const SHORT: Record<RuleName, string> = {
  own: "its own abstentions",
  stated: "stated confidence",
  calibrated: "calibrated confidence",
};
const DASHED: Partial<Record<RuleName, { dash: "dashed" }>> = { stated: { dash: "dashed" } };
const inPercent = (share: number) => `${Number((100 * share).toFixed(6))} %`;

abstract class ResponsePicture {
  readonly figure: Figure;
  readonly chart: Chart;
  found!: ResponsesFound;
  #drawn = false;

  constructor(
    readonly about: ResponsesAbout,
    title: string,
    options: FigureOptions & { body?: Node } = {},
  ) {
    this.chart = new Chart(options.wide ? 320 : 280);
    this.figure = new Figure(title, options.body ?? this.chart.element, () => this.#paint(), options);
  }

  show(found: ResponsesFound): void {
    this.found = found;
    this.figure.refresh();
  }

  /** Draw what no target changes once, then what follows it. */
  #paint(): void {
    if (!this.#drawn) this.draw();
    this.#drawn = true;
    this.follow();
  }

  abstract draw(): void;
  abstract follow(): void;

  /** The name of a system before other words. */
  protected nameOf(system: ResponseSystem, rest: string): string {
    return this.about.several ? system.name : rest;
  }
}

/** Points a question at every target: by rule for one system, by system for several. */
export class UtilityOverTarget extends ResponsePicture {
  constructor(about: ResponsesAbout) {
    super(about, "Points at every target", { wide: true });
  }

  draw(): void {
    const lines = this.about.several ? this.#bySystem() : this.#byRule(this.about.systems[0]);
    const seen = lines.flatMap(({ ys }) => Array.from(ys).slice(0, 181)); // beyond 90 % one rule may fall far
    const low = Math.max(-1, Math.min(0, ...seen));
    const high = Math.max(0.1, ...seen);
    this.figure.say(
      this.about.several
        ? "Each system with its own abstentions; above the dotted line it scores more than never answering. The mark is the current target."
        : this.about.systems[0].stated === null
          ? "Above the dotted line it scores more than never answering. No confidence was stated, so no threshold can be tried."
          : "Above the dotted line a rule scores more than never answering. The faint line is the best threshold on the stated confidence, chosen in hindsight on these responses: no threshold could score more.",
    );
    const span = high - low;
    this.chart.draw({
      summary: "Points per question over the confidence target",
      x: { scale: linear(0, 1, inPercent), label: "confidence target", read: (t) => `at a target of ${targetText(Number(t.toFixed(3)))}` },
      y: { scale: linear(low - 0.04 * span, high + 0.04 * span), label: "points per question" },
      layers: lines,
    });
  }

  follow(): void {
    const { t, at } = this.found;
    const rule: Mark = { tone: "quiet", x: t, text: targetText(t) };
    const values = this.about.several
      ? at.map(({ rules }, tone) => ({ tone, y: rules.own.utility }))
      : RULES.flatMap((name, tone) => {
          const y = at[0].rules[name]?.utility;
          return y === undefined ? [] : [{ tone, ...DASHED[name], y }];
        });
    this.chart.mark([rule, ...values.map(({ tone, y }): Mark => ({ tone, x: t, y }))], t, values);
  }

  #byRule(system: ResponseSystem): Line[] {
    const lines: Line[] = [never()];
    if (system.stated !== null)
      lines.push({ ...line("best threshold in hindsight", "quiet", (t) => bestAt(system, t)!.utility), faint: true });
    for (const [tone, name] of RULES.entries()) {
      if (ruleAt(system, name, 0) === null) continue;
      lines.push({ ...line(SHORT[name], tone, (t) => ruleAt(system, name, t)!.utility), ...DASHED[name] });
    }
    return lines;
  }

  #bySystem(): Line[] {
    const own = this.about.systems.map((system, tone) => line(system.name, tone, (t) => ruleAt(system, "own", t)!.utility));
    return [never(), ...own];
  }
}

function line(name: string, tone: Line["tone"], at: (t: number) => number): Line {
  return { kind: "line", name, tone, xs: TARGETS, ys: TARGETS.map(at) };
}

function never(): Line {
  return { kind: "line", name: "never answering", tone: "quiet", dash: "dotted", xs: [0, 1], ys: [0, 0], silent: true };
}

/** How often answers are right where each confidence is stated. */
export class StatedConfidence extends ResponsePicture {
  constructor(about: ResponsesAbout) {
    super(about, "Stated confidence");
  }

  draw(): void {
    const layers: Layer[] = [
      { kind: "line", name: "as stated", tone: "quiet", dash: "dotted", xs: [0, 1], ys: [0, 1], silent: true },
    ];
    let most = 0;
    const all = this.about.systems.map((system) => (system.stated ? statedReliability(system.stated) : null));
    for (const one of all) most = Math.max(most, ...(one?.weight ?? []));
    for (const [tone, one] of all.entries()) {
      if (!one) continue;
      const name = this.nameOf(this.about.systems[tone], "answers that are right");
      if (this.about.several)
        layers.push({ kind: "line", name, tone, xs: one.p, ys: one.rate, silent: true });
      layers.push({ kind: "dots", name, tone, xs: one.p, ys: one.rate, sizes: one.weight.map((w) => w / most) });
    }
    const first = this.about.several ? null : all[0];
    this.figure.say(
      "How often answers are right, by stated confidence; larger marks stand for more answers. Below the dotted line, the model is overconfident. The vertical line is the target.",
    );
    this.chart.draw({
      summary: "Share of right answers over stated confidence",
      x: {
        scale: linear(0, 1),
        label: "stated confidence",
        read: (p) => (first ? near(first, p) : `stated ${number(p, 3)}`),
      },
      y: { scale: linear(0, 1), label: "share right", read: percent },
      layers,
      square: true,
    });
  }

  follow(): void {
    const { t } = this.found;
    this.chart.mark([{ tone: "quiet", x: t }], t);
  }
}

/** Say which point is near, and on how many answers it rests. */
function near({ p, weight }: { p: number[]; weight: number[] }, at: number): string {
  const k = p.reduce((best, each, i) => (Math.abs(each - at) < Math.abs(p[best] - at) ? i : best), 0);
  const whole = weight.reduce((sum, w) => sum + w, 0);
  const many = weight.every(Number.isInteger) ? `${count(weight[k])} answers` : `${percent(weight[k] / whole)} of the answers`;
  return `stated ${number(p[k], 3)}: ${many}`;
}

/** Share of answers that are wrong over the share of questions answered, with where the rules stand. */
export class RiskOverCoverage extends ResponsePicture {
  constructor(about: ResponsesAbout) {
    super(about, "Risk over coverage");
  }

  draw(): void {
    const layers: Layer[] = [];
    let most = 0.05;
    for (const [tone, system] of this.about.systems.entries()) {
      const { coverage, risk } = riskCoverage(system);
      most = Math.max(most, ...risk.filter((_, k) => coverage[k] > 0.02));
      const { right, wrong } = system;
      if (right + wrong > 0) most = Math.max(most, wrong / (right + wrong));
      layers.push({ kind: "line", name: this.nameOf(system, "any threshold on its confidence"), tone, xs: coverage, ys: risk });
    }
    this.figure.say(
      this.about.several
        ? "If only the most confident questions are answered. The marks show the systems' own abstentions."
        : "If only the most confident questions are answered. Marks: its own abstentions (round), and at the target its stated (square) and calibrated (triangle) confidence.",
    );
    this.chart.draw({
      summary: "Share of wrong answers over the share of questions answered",
      x: { scale: linear(0, 1, inPercent), label: "questions answered", read: (c) => `${percent(c)} of the questions answered` },
      y: { scale: linear(0, Math.min(1, 1.08 * most), inPercent), label: "share of answers wrong", read: percent },
      layers,
    });
  }

  follow(): void {
    const marks = this.found.at.flatMap(({ rules }, i): Mark[] =>
      (this.about.several ? (["own"] as const) : RULES).flatMap((name, k): Mark[] => {
        const rule = rules[name];
        const answered = rule ? rule.right + rule.wrong : 0;
        return rule && answered > 0 ? [{ tone: this.about.several ? i : k, x: answered, y: rule.wrong / answered }] : [];
      }),
    );
    const { own } = this.found.at[0].rules;
    this.chart.mark(marks, this.about.several ? NaN : own.right + own.wrong);
  }
}

/** Which system scores most at which target, with a mark for the target now. */
export class WhoIsBest extends ResponsePicture {
  readonly #pin: HTMLElement;
  readonly #now: HTMLElement;

  constructor(about: ResponsesAbout) {
    const [pin, now] = [h("span.pin"), h("p.hint")];
    const ranges = bestRanges(about.systems);
    const parts = ranges.map(({ from, to, system }) => {
      const name = system === null ? "never answering" : about.systems[system].name;
      const words = `${name}: ${targetText(from)} to ${targetText(to)}`;
      const inside = to - from > 0.14 && (system === null ? name : named(name));
      const part = h("span", { class: `part ${system === null ? "none" : toneClass(system)}`, title: words }, inside);
      part.style.width = `${100 * (to - from)}%`;
      return part;
    });
    const ticks = linear(0, 1, inPercent).ticks(5).map(({ at, text }) => {
      const tick = h("span", text);
      tick.style.left = `${100 * at}%`;
      return tick;
    });
    const listed = ranges.map(({ from, to, system }) =>
      h("li", system === null ? "never answering" : named(about.systems[system].name), ` from ${targetText(from)} to ${targetText(to)}`),
    );
    const body = h("div", h("div.strip", HIDDEN, ...parts, pin), h("div.ticks", HIDDEN, ...ticks), now, h("ul.unseen", ...listed));
    const note = "By points on these responses, with each system's own abstentions. This is not tested.";
    super(about, "Which system scores most at which target", { wide: true, note, body });
    [this.#pin, this.#now] = [pin, now];
  }

  draw(): void {}

  follow(): void {
    const { t } = this.found;
    const range = bestRanges(this.about.systems).find(({ from, to }) => t >= from && t < to);
    this.#pin.style.left = `${100 * t}%`;
    const name = range?.system == null ? "never answering" : named(this.about.systems[range.system].name);
    this.#now.replaceChildren(`At ${targetText(t)}: `, name);
  }
}

/** Return slices with their intervals; null without any. */
export function sliceForest({ slices, target }: ResponsesData): Figure | null {
  if (slices.length === 0) return null;
  const most = Math.max(...slices.flatMap(({ value, band }) => [value, ...(band ?? [])]).map(Math.abs), 1e-9);
  const rows = slices.map(({ name, value, band, code }) => {
    const [low, high] = band ?? [null, null];
    const sure = code === "useful" || code === "worse_than_naive";
    return forestRow({ system: "", metric: "", label: name, better: "higher", value, low, high, sure }, most, 0);
  });
  const sides = h("p.sides", HIDDEN, h("span", "← below 0"), h("span", "above 0 →"));
  const note = `Points per question in each slice at ${targetText(target)}, the target of the report, with intervals. Filled marks: distinguishable from the better constant rule.`;
  return new Figure("Slices", h("div", sides, h("ul.forest", ...rows)), () => {}, { note, wide: true });
}
