/** The live page of costs that differ from case to case: controls, the answer in money, who is reviewed. */
import {
  caseFragment,
  type CaseOutcome,
  type CaseProblem,
  type Cases,
  decodeCases,
  fromCaseFragment,
  judgeCases,
} from "../core/index";
import type { CasesData, Payload } from "../types";
import { actions } from "./actions";
import { Address } from "./address";
import { CaseControls } from "./case_controls";
import { AmountTable, CaseReliability, CaseRoc } from "./case_pictures";
import { CaseAnswer, CaseResults } from "./case_results";
import { Pristine } from "./copy";
import { h } from "./dom";
import { fill } from "./frame";
import { ends, type OwnCounts, ownCounts } from "./model";
import { Chosen } from "./store";

/** Fill the page. */
export function start(): Promise<void> {
  return fill(async ({ payload, live, pictures, pristine }) => {
    const data = payload.cases;
    if (!data) return;
    const [cases, own] = [await decodeCases(data), await ownOf(data)];
    new CasesPage(payload, data, cases, own, pristine).begin(live, pictures);
  });
}

/** What a setting brings for all systems. */
export interface CasesFound {
  problem: CaseProblem;
  outcomes: CaseOutcome[];
  own: boolean; // these are the report's own settings
}

/** Return what Python found for each system. */
function ownOf(data: CasesData): Promise<(OwnCounts | null)[]> {
  return Promise.all(data.own.map((one) => one && ownCounts(one, data.decisions.length)));
}

/** Return the settings of the report. */
function ownProblem({ cells, priors, fromData }: CasesData): CaseProblem {
  return { cells, multiplier: 1, priors, fromData, adapt: false, cap: null };
}

/** The page, which follows the reader's choice. */
class CasesPage {
  readonly #store: Chosen<CaseProblem>;
  readonly #address: Address<CaseProblem>;
  #waiting = false;
  #settled = true;
  #parts: { show(found: CasesFound, settled: boolean): void }[] = [];

  constructor(
    readonly payload: Payload,
    readonly data: CasesData,
    readonly cases: Cases,
    readonly own: (OwnCounts | null)[],
    readonly pristine: Pristine,
  ) {
    this.#store = new Chosen(() => ownProblem(data));
    const { dataPriors, scores } = payload;
    const known = { ...data, scores, dataPriors: data.fromData ? data.priors : dataPriors };
    this.#address = new Address(this.#store, Pristine.saved(), {
      write: () => this.#fragment(),
      read: (fragment) => fromCaseFragment(fragment, known),
    });
  }

  begin(live: HTMLElement, pictures: HTMLElement): void {
    const about = [this.payload, this.data, this.cases] as const;
    const buttons = this.#actions();
    const controls = new CaseControls(this.payload, this.data, this.#store);
    const results = new CaseResults(...about);
    const figures = [new AmountTable(...about), new CaseRoc(...about), new CaseReliability(...about)];
    controls.element.append(buttons.element);
    live.append(controls.element, h("div.results-side", this.#address.refused, results.element));
    document.querySelector("main")?.classList.add("lively");
    pictures.append(h("div.figures", ...figures.map((one) => one.figure.element)));
    const place = document.getElementById("answer-text");
    const answer = place ? [new CaseAnswer(this.payload, this.data, this.#store, place)] : [];
    this.#parts = [controls, buttons, ...answer, results, ...figures];
    addEventListener("beforeprint", () => figures.forEach((one) => one.figure.flush()));
    this.#address.begin();
    this.#store.listen((settled) => this.#follow(settled));
    this.#update();
  }

  #actions(): ReturnType<typeof actions> {
    return actions(this.#store, {
      note: this.#address.saved?.note ?? "",
      copy: (note) => {
        const answer = document.getElementById("answer-text");
        return this.pristine.text({ fragment: this.#fragment(), note }, answer);
      },
      fragment: () => this.#fragment(),
    });
  }

  #fragment(): string {
    return caseFragment(this.#store.problem, this.data);
  }

  /** Follow a change with the next frame; several changes make one update. */
  #follow(settled: boolean): void {
    this.#settled = settled;
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#update();
    });
  }

  #update(): void {
    const began = performance.now();
    const found = this.#find();
    for (const part of this.#parts) part.show(found, this.#settled);
    performance.clearMeasures("update");
    performance.measure("update", { start: began });
    if (this.#settled) this.#address.remember();
  }

  #find(): CasesFound {
    const { payload, cases, data } = this;
    const { problem, isInitial: own } = this.#store;
    const facts = { ...payload, noInterval: data.noInterval };
    const found = cases.systems.map((one) => judgeCases(cases, one, problem, facts));
    const known = own ? this.own : [];
    return { problem, own, outcomes: found.map((one, i) => asReported(one, known[i] ?? null)) };
  }
}

/** Return an outcome with the numbers of the report, where it has some. */
function asReported(found: CaseOutcome, own: OwnCounts | null): CaseOutcome {
  if (own === null) return found;
  const { expected, normalized } = own.data;
  const naive = normalized > 0 ? expected / normalized : found.naive;
  const constants = found.constants.map((cost, j) => (j === found.naiveDecision ? naive : cost));
  return {
    ...found,
    counts: own.counts,
    expected,
    normalized,
    naive,
    constants: constants as [number, number],
    interval: ends(own.data.interval ?? null),
    costInterval: ends(own.data.costInterval ?? null),
  };
}
