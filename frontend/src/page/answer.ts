/** The answer at the top of the page: sentences with numbers to change, and the results per 1,000 cases. */
import {
  abstentionUnit,
  answer,
  codeOf,
  compared,
  condition,
  firstCell,
  freeOf,
  inOrder,
  type Naive,
  naivePhrase,
  type Part,
  perThousand,
  plainOf,
  priorsOf,
  type Setting,
  type Standing,
  type Unit,
  verdictOf,
} from "../core/index";
import type { Outcome, Problem } from "../types";
import { type Child, h, named, on, refill, withBand } from "./dom";
import { sameTable, withAbstention, withCost, withLargestCost, withPrior } from "./edits";
import { forgetRefused, place as refusals } from "./field";
import { InlineField } from "./inline_field";
import type { Found } from "./results";
import { Sentences, showVerdict } from "./sentences";
import type { Store } from "./store";
import { number } from "./text";

const MOST_ROWS = 5; // of the table, the cheapest systems first
const PLAIN: Unit = { name: "", scale: 1 };

/** What the answer says now, in parts. */
export interface Spoken {
  setting: Setting;
  standings: Standing[];
  naive: Naive;
  sentences: Part[][];
}

/** Return the setting of a problem; the cost that is named first is that of the report. */
export function settingOf(problem: Problem, store: Store): Setting {
  const { costs, decisions, fromData } = problem;
  const priors = priorsOf(problem, store.payload);
  return { classes: store.payload.classes, costs, decisions, priors, fromData, cell: firstCell(store.initial) };
}

/** Return what a system costs, and its verdict: that of the report at its own settings, else by the interval. */
export function standingsOf(found: Found, names: string[], store: Store): Standing[] {
  const { payload } = store;
  const codes = store.isInitial ? payload.applications[store.application].codes : [];
  return found.outcomes.map((one, i) => {
    const only = onlyDecision(one);
    return {
      name: names[i],
      code: codes[i] ?? codeOf(one.normalized, one.interval, only >= 0),
      expected: one.expected,
      band: one.costInterval,
      counts: one.counts,
      whole: payload.noInterval === "",
      only,
    };
  });
}

/** Return the decision that every case gets, or -1. */
export function onlyDecision(outcome: Outcome): number {
  let only = -1;
  for (const row of outcome.counts)
    for (let j = 0; j < row.length; j++) {
      if (!(row[j] > 0) || j === only) continue;
      if (only >= 0) return -1;
      only = j;
    }
  return only;
}

/** Return the sentences of a moment. */
export function spokenOf(found: Found, names: string[], store: Store): Spoken {
  const { payload } = store;
  const setting = settingOf(found.problem, store);
  const standings = standingsOf(found, names, store);
  const { naive: cost, naiveDecision: decision } = found.outcomes[0];
  const naive = { cost, decision };
  const unit = payload.unit ?? PLAIN;
  if (payload.kind === "comparison") {
    const { best, bestCalibrated } = payload.applications[store.application];
    const tested = (names?: string[]) => (store.isInitial && names?.length ? names : null);
    const n = payload.given ?? standings.length;
    const given = { standings: standings.slice(0, n), best: tested(best) };
    const later = standings.slice(n).map((one, i) => ({ ...one, name: names[i] }));
    const calibrated = later.length > 0 ? { standings: later, best: tested(bestCalibrated) } : null;
    const sentences = compared(setting, given, naive, unit, calibrated);
    return { setting, standings, naive, sentences };
  }
  const subject = payload.live?.kind === "decisions" ? "these decisions" : "this system";
  const sentences = answer(setting, standings, naive, unit, subject, found.reasons[0]);
  return { setting, standings, naive, sentences };
}

/** The answer, which follows the reader's problem. */
export class Answer {
  readonly #store: Store;
  readonly #names: string[];
  readonly #sentences: Sentences;
  readonly #table = h("div.thousand", { tabindex: 0, role: "region", "aria-label": "per 1,000 cases" });
  readonly #changed = h("div.changed", { hidden: true });
  readonly #list = h("span");
  readonly #refused = refusals();

  constructor(store: Store, names: string[], place: HTMLElement) {
    this.#store = store;
    this.#names = names;
    this.#sentences = new Sentences((key, label) => new InlineField(key, label, this.#refused, (value, settled) =>
      store.set(edited(key, value, store), settled),
    ));
    const back = h("button", { type: "button" }, "Back to the report's settings");
    on(back, "click", () => {
      forgetRefused();
      store.set(store.initial, true);
    });
    this.#changed.append(h("span", "Changed: "), this.#list, " ", back);
    refill(place, this.#sentences.element, this.#refused, this.#changed, this.#table);
  }

  show(found: Found): void {
    const spoken = spokenOf(found, this.#names, this.#store);
    this.#sentences.show(spoken.sentences);
    this.#showTable(spoken, found);
    this.#showChanged(spoken.setting);
  }

  /** The words of the answer as one text. */
  get text(): string {
    return this.#sentences.text;
  }

  #showTable(spoken: Spoken, found: Found): void {
    const { setting, naive } = spoken;
    const ranked = this.#store.payload.kind === "comparison";
    const standings = ranked ? inOrder(spoken.standings).slice(0, MOST_ROWS) : spoken.standings;
    const { payload } = this.#store;
    this.#table.hidden = !isFinite(found.outcomes[0].normalized);
    if (this.#table.hidden) return;
    const unit = payload.unit ?? PLAIN;
    const { heads, rows } = perThousand(setting, standings, naive, unit, payload.quantile);
    const alone = payload.live?.kind === "decisions" ? "these decisions" : "this system";
    const labels = standings.map((one): Child => (standings.length > 1 ? named(one.name) : alone));
    const phrase = naivePhrase(setting, naive.decision).map((part) =>
      part[0] === "name" ? named(part[1]) : String(part[1]),
    );
    const body = rows.map((cells, i) =>
      h(
        "tr",
        h("th", { scope: "row" }, ...(i < labels.length ? [labels[i]] : phrase)),
        ...cells.map((cell) => h("td", ...withBand(cell))),
      ),
    );
    const top = ["Per 1,000 cases", ...heads].map((head) => h("th", { scope: "col" }, head));
    refill(
      this.#table,
      h(
        "table",
        h("caption.unseen", "Results per 1,000 cases"),
        h("thead", h("tr", ...top)),
        h("tbody", ...body),
      ),
    );
  }

  #showChanged(setting: Setting): void {
    const said = this.#store.isInitial ? [] : changes(this.#store, setting);
    this.#changed.hidden = said.length === 0;
    document.getElementById("verdicts")?.classList.toggle("elsewhere", said.length > 0);
    this.#list.textContent = `${said.join("; ")}.`;
  }
}

/** Return a verdict with its icon and look. */
export function verdictWord(code: string): HTMLElement {
  const slot = h("strong");
  showVerdict(slot, verdictOf(code));
  return slot;
}

/** Return the problem with a number of the sentence changed. */
export function edited(key: string, value: number, store: Store): Problem {
  const { problem } = store;
  const [kind, i, j] = key.split("-");
  const plain = plainOf(problem);
  if (kind === "ratio") return withCost(problem, 1, plain[0], value * problem.costs[0][plain[1]]);
  if (kind === "abstain")
    return withAbstention(problem, value * abstentionUnit(settingOf(problem, store)));
  if (kind === "prior") return withPrior(problem, Number(i), value / 100);
  if (kind === "error") return withLargestCost(problem, Number(i), value, store.initial);
  return withCost(problem, Number(i), Number(j), value);
}

/** Say what differs from the report's own settings. */
function changes(store: Store, setting: Setting): string[] {
  const { problem, initial } = store;
  const before = new Map(fieldsOf(settingOf(initial, store)));
  const now = fieldsOf(setting);
  const said = now.flatMap(([key, [value, label]]) => {
    const old = before.get(key);
    return old && Math.abs(old[0] - value) > 1e-9 * Math.abs(value)
      ? [`${label}: ${number(value)} instead of ${number(old[0])}`]
      : [];
  });
  const [is, was] = [freeOf(problem) >= 0, freeOf(initial) >= 0];
  if (is !== was) said.push(is ? "cases may be left undecided" : "no case may be left undecided");
  if (problem.adapt) said.push("posteriors adapted to the class shares");
  if (said.length > 0) return said;
  const costs = sameTable(problem.costs, initial.costs);
  return [costs ? "other class shares" : "other costs"];
}

function fieldsOf(setting: Setting): [string, [number, string]][] {
  return condition(setting).flatMap((part): [string, [number, string]][] =>
    part[0] === "field" ? [[part[1], [part[2], part[3]]]] : [],
  );
}
