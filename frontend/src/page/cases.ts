/** The live page of costs that differ from case to case: controls, the answer in money, who is reviewed. */
import { type CaseOutcome, type CaseProblem, type Cases, judgeCases } from "../core/index";
import type { CasesData, Payload } from "../types";
import { CaseControls } from "./case_controls";
import { AmountTable, CaseReliability, CaseRoc } from "./case_pictures";
import { CaseAnswer, CaseResults } from "./case_results";
import { h } from "./dom";
import { ends, type OwnCounts, ownCounts } from "./model";

/** What a setting brings for all systems. */
export interface CasesFound {
  problem: CaseProblem;
  outcomes: CaseOutcome[];
  intervals: ([number, number] | null)[]; // of the normalised cost
  costIntervals: ([number, number] | null)[];
  own: boolean; // these are the report's own settings
}

/** Return what Python found for each system. */
export function ownOf(data: CasesData): Promise<(OwnCounts | null)[]> {
  return Promise.all(data.own.map((one) => one && ownCounts(one, data.decisions.length)));
}

/** Return the settings of the report. */
export function ownProblem({ cells, priors }: CasesData): CaseProblem {
  return { cells, multiplier: 1, priors, adapt: false, cap: null };
}

/** The state of the page, and all that follows from it. */
export class CasesPage {
  readonly #initial: CaseProblem;
  #problem: CaseProblem;
  #waiting = false;
  #settled = true;
  #parts: { show(found: CasesFound, settled: boolean): void }[] = [];

  constructor(
    readonly payload: Payload,
    readonly data: CasesData,
    readonly cases: Cases,
    readonly own: (OwnCounts | null)[],
  ) {
    this.#initial = ownProblem(data);
    this.#problem = this.#initial;
  }

  begin(live: HTMLElement, pictures: HTMLElement): void {
    const controls = new CaseControls(this.payload, this.data, (problem, settled) => this.#set(problem, settled));
    const results = new CaseResults(this.payload, this.data, this.cases);
    const about = [this.payload, this.data, this.cases] as const;
    const figures = [new AmountTable(...about), new CaseRoc(...about), new CaseReliability(...about)];
    live.append(controls.element, h("div.results-side", results.element));
    document.querySelector("main")?.classList.add("lively");
    pictures.append(h("div.figures", ...figures.map((one) => one.figure.element)));
    const place = document.getElementById("answer-text");
    const answer = place ? [new CaseAnswer(this.payload, this.data, place)] : [];
    this.#parts = [controls, ...answer, results, ...figures];
    addEventListener("beforeprint", () => figures.forEach((one) => one.figure.flush()));
    this.#update();
  }

  #set(problem: CaseProblem, settled: boolean): void {
    this.#problem = problem;
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
  }

  #find(): CasesFound {
    const { payload, cases } = this;
    const problem = this.#problem;
    const own = JSON.stringify(problem) === JSON.stringify(this.#initial);
    const found = cases.systems.map((one) => judgeCases(cases, one, problem, payload.dataPriors));
    const known = own ? this.own : [];
    return {
      problem,
      own,
      outcomes: found.map((one, i) => asReported(one, known[i] ?? null)),
      intervals: found.map((_, i) => ends(known[i]?.data.interval ?? null)),
      costIntervals: found.map((_, i) => ends(known[i]?.data.costInterval ?? null)),
    };
  }
}

/** Return an outcome with the numbers of the report, where it has some. */
function asReported(found: CaseOutcome, own: OwnCounts | null): CaseOutcome {
  if (own === null) return found;
  const { expected, normalized } = own.data;
  const naive = normalized > 0 ? expected / normalized : found.naive;
  const constants = found.constants.map((cost, j) => (j === found.naiveDecision ? naive : cost));
  return { ...found, counts: own.counts, expected, normalized, naive, constants: constants as [number, number] };
}
