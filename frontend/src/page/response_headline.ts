/** The answer on responses: sentences with the target to change, a slider, and the results per 1,000 questions. */
import { NEVER, RULES, type RuleName, type RuleOutcome } from "../core/responses";
import type { Dial } from "./dial";
import { type Child, h, named, on, refill, withBand } from "./dom";
import { forgetRefused, place as refusals } from "./field";
import { InlineField, type Manner } from "./inline_field";
import {
  breakEven,
  comparedResponses,
  meaning,
  NOT_TESTED,
  responseAnswer,
  type ResponseStanding,
  targetText,
  thousandQuestions,
} from "./response_answer";
import { type ResponsesAbout, type ResponsesFound, type SystemAt, targetDial } from "./responses";
import { Sentences } from "./sentences";
import type { Chosen } from "./store";

const MOST_ROWS = 8; // systems, the best first
const MOST_TARGET = 0.999;
const HEADS = ["points", "right", "wrong", "no answer"];

/** Return what a rule is called at a target. */
export function ruleLabel(name: RuleName, t: number): string {
  return name === "own" ? "its own abstentions" : `${name} confidence of ${targetText(t)} or more`;
}

const MANNER: Manner = {
  takes: "target",
  write: targetText,
  step: (t, up) => Math.min(MOST_TARGET, Math.max(0, Number((t + (up ? 0.01 : -0.01)).toFixed(6)))),
};

/** The answer, which follows the target. */
export class ResponseAnswer {
  readonly #refused = refusals();
  readonly #sentences: Sentences;
  readonly #dial: Dial;
  readonly #meaning = h("p.meaning");
  readonly #changed = h("div.changed", { hidden: true });
  readonly #said = h("span");
  readonly #table = h("div.thousand", { tabindex: 0, role: "region", "aria-label": "per 1,000 questions" });

  constructor(
    readonly about: ResponsesAbout,
    store: Chosen<number>,
    place: HTMLElement,
  ) {
    const follow = (value: number, settled: boolean) => store.set(value, settled);
    this.#sentences = new Sentences((key, label) => new InlineField(key, label, this.#refused, follow, MANNER));
    this.#dial = targetDial(store, "target", "confidence target");
    const back = h("button", { type: "button" }, "Back to the report's target");
    on(back, "click", () => {
      forgetRefused();
      store.set(store.initial, true);
    });
    this.#changed.append(this.#said, " ", back);
    refill(place, this.#sentences.element, this.#refused, this.#changed, this.#dial.element, this.#meaning, this.#table);
  }

  show(found: ResponsesFound): void {
    const { t, own, at } = found;
    const { several, data } = this.about;
    this.#sentences.show(several ? this.#compared(found) : responseAnswer(this.#standing(found, at[0])));
    this.#dial.show(t);
    this.#meaning.textContent = `${meaning(t)} ${several ? "" : breakEven(at[0].rules.own)}`.trimEnd();
    this.#changed.hidden = own;
    this.#said.textContent = `Changed: a target of ${targetText(t)} instead of ${targetText(data.target)}.`;
    document.getElementById("verdicts")?.classList.toggle("elsewhere", !own);
    this.#showTable(several ? systemRows(at) : ruleRows(at[0], t));
  }

  #standing({ t, own }: ResponsesFound, { system, rules, always }: SystemAt): ResponseStanding {
    const { code, ruleCode, reason } = system.at;
    return {
      target: t,
      own: rules.own,
      calibrated: rules.calibrated,
      always,
      unknown: system.unknown > 0,
      code: own ? code : NOT_TESTED,
      ruleCode: own ? ruleCode : NOT_TESTED,
      reason,
      tested: this.about.data.target,
    };
  }

  #compared(found: ResponsesFound) {
    const systems = found.at.map((one): [string, ResponseStanding] => [one.system.name, this.#standing(found, one)]);
    return comparedResponses(systems, found.own ? this.about.data.best : null);
  }

  #showTable(rows: [Child, RuleOutcome][]): void {
    const body = rows.map(([label, rule]) =>
      h("tr", h("th", { scope: "row" }, label), ...thousandQuestions(rule).map((cell) => h("td", ...withBand(cell)))),
    );
    const head = ["Per 1,000 questions", ...HEADS].map((one) => h("th", { scope: "col" }, one));
    const caption = h("caption.unseen", "Results per 1,000 questions");
    refill(this.#table, h("table", caption, h("thead", h("tr", ...head)), h("tbody", ...body)));
  }
}

function ruleRows({ system, rules, always }: SystemAt, t: number): [Child, RuleOutcome][] {
  const known = RULES.flatMap((name): [Child, RuleOutcome][] => {
    const rule = rules[name];
    return rule ? [[ruleLabel(name, t), rule]] : [];
  });
  const most = system.unknown > 0 ? "always answering, at best" : "always answering";
  return [...known, [most, always], ["never answering", NEVER]];
}

function systemRows(at: SystemAt[]): [Child, RuleOutcome][] {
  const rows = ranked(at).slice(0, MOST_ROWS);
  return [...rows.map(({ system, rules }): [Child, RuleOutcome] => [named(system.name), rules.own]), ["never answering", NEVER]];
}

/** Return systems by their points, the highest first. */
export function ranked(at: SystemAt[]): SystemAt[] {
  return [...at].sort((a, b) => b.rules.own.utility - a.rules.own.utility);
}
