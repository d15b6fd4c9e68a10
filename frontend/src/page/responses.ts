/** The live page of responses: a confidence target, what each rule gives there, pictures over all targets. */
import {
  alwaysAt,
  decodeResponses,
  fromTargetFragment,
  reported,
  type ResponseSystem,
  type RuleName,
  type RuleOutcome,
  ruleAt,
  RULES,
  targetFragment,
} from "../core/responses";
import type { Payload, ResponsesData } from "../types";
import { actions } from "./actions";
import { Address } from "./address";
import { Pristine } from "./copy";
import { Dial } from "./dial";
import { h } from "./dom";
import type { Figure } from "./figure";
import { fill } from "./frame";
import { targetText } from "./response_answer";
import { ResponseAnswer } from "./response_headline";
import { RiskOverCoverage, sliceForest, StatedConfidence, UtilityOverTarget, WhoIsBest } from "./response_pictures";
import { ResponseResults } from "./response_results";
import { Chosen } from "./store";
import type { Track } from "./track";

const LAST = 0.99; // target at the end of the slider

/** What a target brings for one system. */
export interface SystemAt {
  system: ResponseSystem;
  rules: Record<RuleName, RuleOutcome | null> & { own: RuleOutcome };
  always: RuleOutcome;
}

/** What a target brings for all systems. */
export interface ResponsesFound {
  t: number;
  own: boolean; // it is the target of the report
  at: SystemAt[];
}

/** What the parts of the page are made from. */
export interface ResponsesAbout {
  payload: Payload;
  data: ResponsesData;
  systems: ResponseSystem[];
  several: boolean;
}

/** Fill the page. */
export function start(): Promise<void> {
  return fill(async ({ payload, live, pictures, pristine }) => {
    const data = payload.responses;
    if (!data) return;
    const systems = await decodeResponses(data);
    const about = { payload, data, systems, several: payload.kind === "comparison" };
    new ResponsesPage(about, pristine).begin(live, pictures);
  });
}

/** Targets from 0 to 99 %, in steps of 0.1 %. */
const TRACK: Track = {
  share: (t) => t / LAST,
  value: (share) => Number((LAST * share).toFixed(3)),
};

/** Return a slider and a field for the target. */
export function targetDial(store: Chosen<number>, key: string, spoken: string): Dial {
  return new Dial({
    key,
    label: ["Confidence target"],
    spoken,
    track: TRACK,
    takes: "target",
    write: targetText,
    onInput: (value, settled) => store.set(value, settled),
  });
}

/** The page, which follows the reader's target. */
class ResponsesPage {
  readonly #store: Chosen<number>;
  readonly #address: Address<number>;
  #waiting = false;
  #settled = true;
  #parts: { show(found: ResponsesFound, settled: boolean): void }[] = [];

  constructor(
    readonly about: ResponsesAbout,
    readonly pristine: Pristine,
  ) {
    this.#store = new Chosen(() => about.data.target);
    this.#address = new Address(this.#store, Pristine.saved(), {
      write: () => targetFragment(this.#store.problem),
      read: fromTargetFragment,
    });
  }

  begin(live: HTMLElement, pictures: HTMLElement): void {
    const buttons = this.#actions();
    const dial = targetDial(this.#store, "target-beside", "confidence target, next to the charts");
    const results = new ResponseResults(this.about);
    const group = h("fieldset.group", h("legend", "Target"), dial.element);
    live.append(h("div.controls", group, buttons.element), h("div.results-side", this.#address.refused, results.element));
    document.querySelector("main")?.classList.add("lively");
    const figures = this.#figures();
    pictures.append(h("div.figures", ...figures.map((one) => one.figure.element)));
    const place = document.getElementById("answer-text");
    const answer = place ? [new ResponseAnswer(this.about, this.#store, place)] : [];
    const shown = { show: ({ t }: ResponsesFound) => dial.show(t) };
    this.#parts = [shown, buttons, ...answer, results, ...figures];
    addEventListener("beforeprint", () => figures.forEach((one) => one.figure.flush()));
    this.#address.begin();
    this.#store.listen((settled) => this.#follow(settled));
    this.#update();
  }

  #figures(): { figure: Figure; show(found: ResponsesFound): void }[] {
    const { data, several, systems } = this.about;
    const confident = systems.some(({ stated }) => stated !== null);
    const slices = sliceForest(data);
    return [
      new UtilityOverTarget(this.about),
      ...(several ? [new WhoIsBest(this.about)] : []),
      ...(confident ? [new StatedConfidence(this.about), new RiskOverCoverage(this.about)] : []),
      ...(slices ? [{ figure: slices, show: () => {} }] : []),
    ];
  }

  #actions(): ReturnType<typeof actions> {
    return actions(this.#store, {
      note: this.#address.saved?.note ?? "",
      copy: (note) => {
        const answer = document.getElementById("answer-text");
        return this.pristine.text({ fragment: targetFragment(this.#store.problem), note }, answer);
      },
      fragment: () => targetFragment(this.#store.problem),
    });
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
    const { problem: t, isInitial: own } = this.#store;
    const found = { t, own, at: this.about.systems.map((system) => systemAt(system, t, own)) };
    for (const part of this.#parts) part.show(found, this.#settled);
    performance.clearMeasures("update");
    performance.measure("update", { start: began });
    if (this.#settled) this.#address.remember();
  }
}

/** Return what each rule gives: at the target of the report what Python found. */
function systemAt(system: ResponseSystem, t: number, own: boolean): SystemAt {
  const found = RULES.map((name) => [name, own ? reported(system.at.rules[name]) : ruleAt(system, name, t)] as const);
  return { system, rules: Object.fromEntries(found) as SystemAt["rules"], always: alwaysAt(system, t) };
}
