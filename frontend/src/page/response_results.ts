/** What each rule, or each system, gives at the target: points, share answered, accuracy. */
import { NEVER, RULES, type RuleOutcome } from "../core/responses";
import { type Child, h, named, refill } from "./dom";
import { targetText } from "./response_answer";
import { ranked, ruleLabel } from "./response_headline";
import type { ResponsesAbout, ResponsesFound } from "./responses";
import { number, percent, range, roundPercent } from "./text";

/** The table beside the controls. */
export class ResponseResults {
  readonly element = h("div.results");
  readonly #more: boolean; // there is a confidence, and so a last column
  readonly #over = h("p.over");
  readonly #body = h("tbody");
  readonly #note = h("p.hint");
  readonly #spoken = h("p.unseen", { role: "status", "aria-live": "polite" });

  constructor(readonly about: ResponsesAbout) {
    const last = about.several ? "points if calibrated" : "abstains below";
    const heads = [about.several ? "system" : "rule", "points per question", "answered", "accuracy of answers"];
    this.#more = about.systems.some(({ stated }) => stated !== null);
    if (this.#more) heads.push(last);
    const head = h("tr", ...heads.map((one) => h("th", { scope: "col" }, one)));
    const caption = h("caption.unseen", "Results at this target");
    const region = { tabindex: 0, role: "region", "aria-label": "at this target" };
    const table = h("table", caption, h("thead", head), this.#body);
    this.element.append(this.#over, h("div", { class: "thousand by-rule", ...region }, table), this.#note, this.#spoken);
  }

  show(found: ResponsesFound, settled: boolean): void {
    const rows = this.about.several ? this.#systems(found) : this.#rules(found);
    this.#over.textContent = `At a target of ${targetText(found.t)}`;
    refill(this.#body, ...rows);
    this.#note.textContent = this.#words(found);
    if (!settled) return;
    const points = found.at.map(({ system, rules }) => `${system.name} ${number(rules.own.utility)}`.trim());
    this.#spoken.textContent = `At a target of ${targetText(found.t)}: ${points.join(", ")} points per question.`;
  }

  #rules({ t, at: [{ rules }] }: ResponsesFound): HTMLElement[] {
    const known = RULES.flatMap((name, i) => {
      const rule = rules[name];
      return rule ? [this.#row([ruleLabel(name, t)], rule, i, threshold(rule))] : [];
    });
    return [...known, this.#row(["never answering"], NEVER, RULES.length, "")];
  }

  #systems({ at }: ResponsesFound): HTMLElement[] {
    return ranked(at).map(({ system, rules }) => {
      const other = rules.calibrated ? number(rules.calibrated.utility) : "";
      return this.#row([named(system.name)], rules.own, this.about.systems.indexOf(system), other);
    });
  }

  #row(name: Child[], rule: RuleOutcome, i: number, last: string): HTMLElement {
    const answered = rule.right + rule.wrong;
    const points = h("output.nec", { "data-system": i }, number(rule.utility));
    const ends = rule.band ? h("span.quiet", ` (${range(...rule.band)})`) : "";
    const cells: Child[][] = [[points, ends], [percent(answered)], [answered > 0 ? percent(rule.right / answered) : "–"]];
    if (this.#more) cells.push([last]);
    return h("tr", h("th", { scope: "row" }, ...name), ...cells.map((cell) => h("td", ...cell)));
  }

  #words(found: ResponsesFound): string {
    const { payload, systems, data } = this.about;
    const of = found.own
      ? ` Intervals: ${roundPercent(payload.level)}.`
      : ` Computed here, without intervals or tests; the report has those at its own target of ${targetText(data.target)}.`;
    const calibrated = systems.some((one) => one.calibrated !== null)
      ? " Calibrators are cross-fitted."
      : "";
    return `Points: 1 for a right answer, ${number(-found.t / (1 - found.t))} for a wrong one, 0 for none.${of}${calibrated}${this.#exactness()}`;
  }

  /** Say how exact numbers at other targets are where levels of confidence are a grid. */
  #exactness(): string {
    const exact = this.about.systems.every(({ stated, calibrated }) => (stated?.exact ?? true) && (calibrated?.exact ?? true));
    return exact
      ? ""
      : " Confidences are kept in steps of 0.01 %: exact for targets of at most two decimals in percent; at others, answers within one step of the target may be counted on its other side.";
  }
}

function threshold(rule: RuleOutcome): string {
  if (rule.threshold === null) return "";
  return rule.threshold === Infinity ? "never answers" : number(rule.threshold);
}
