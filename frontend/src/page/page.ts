/** The live page: state, controls, results and pictures, put together. */
import {
  applicationFiles,
  fromFragment,
  operatingPoint,
  sameRatios,
  toFragment,
} from "../core/index";
import type { Payload, Problem } from "../types";
import { actions } from "./actions";
import { Address } from "./address";
import { Answer } from "./answer";
import { Reliability, RocPicture, Scores, Thresholds } from "./binary";
import { Confusion } from "./confusion";
import { Pristine } from "./copy";
import { CostControls } from "./costs";
import { dialOf } from "./dial";
import { type Child, h, HIDDEN, on } from "./dom";
import type { Picture } from "./figure";
import { Flips, MOST_FLIPPED } from "./flips";
import { type Compared, fill } from "./frame";
import { Classes, Confidence, Trade } from "./many";
import { Model } from "./model";
import { CostCurves } from "./operating";
import { AbstentionControls, PriorControls } from "./priors";
import { type Found, Results } from "./results";
import { Store } from "./store";

/** Fill the page; `script` is the text of this very script, for a worker. */
export function start(script: string): Promise<void> {
  return fill(async ({ payload, live, pictures, pristine }, shown) => {
    if (payload.live === null || payload.applications.length === 0) {
      live.append(h("p", `Costs and priors cannot be changed here: ${payload.whyNotLive}.`));
      if (shown.figures.length === 0) pictures.hidden = true;
      return;
    }
    new LivePage(await Model.load(payload), script, live, shown, pristine).begin();
  });
}

/** The part of the page that follows the reader's choice. */
class LivePage {
  readonly #model: Model;
  readonly #script: string;
  readonly #live: HTMLElement;
  readonly #compared: Compared;
  readonly #store: Store;
  readonly #results: Results;
  readonly #confusion: Confusion;
  readonly #answer: Answer | null;
  readonly #flips: Flips;
  readonly #pristine: Pristine;
  readonly #controls: { show(): void }[];
  #moving: Picture[] = [];
  #settled = true;
  #chosen: () => void = () => {}; // shows which application is chosen
  #waiting = false;
  readonly #address: Address<Problem>;

  constructor(model: Model, script: string, live: HTMLElement, compared: Compared, pristine: Pristine) {
    this.#pristine = pristine;
    this.#model = model;
    this.#script = script;
    this.#live = live;
    this.#compared = compared;
    const { payload } = model;
    this.#store = new Store(payload);
    this.#address = new Address(this.#store, Pristine.saved(), {
      write: () => this.#fragment(),
      read: (fragment) => fromFragment(fragment, payload),
    });
    this.#results = new Results(payload, model.names);
    this.#confusion = new Confusion(payload.classes, model.names, this.#store);
    const place = document.getElementById("answer-text");
    this.#answer = place && new Answer(this.#store, model.names, place);
    this.#flips = new Flips(model, this.#store, (key, zones) => dialOf(key)?.shade(zones));
    place?.append(this.#flips.element);
    this.#controls = this.#buildControls();
    this.#buildPictures();
  }

  begin(): void {
    this.#address.begin();
    this.#store.listen((settled) => this.#follow(settled));
    addEventListener("beforeprint", () => this.#moving.forEach((one) => one.figure.flush()));
    this.#update();
    if (!this.#model.decoded) void this.#read(); // it yields at once, so that numbers are painted first
  }

  /** Read the samples, and show what needs them. */
  async #read(): Promise<void> {
    const main = document.querySelector("main");
    main?.classList.add("reading");
    await this.#model.decode();
    this.#update();
    main?.classList.remove("reading");
  }

  #buildControls(): { show(): void }[] {
    const { payload } = this.#model;
    const decided = payload.live?.kind === "decisions";
    const costs = new CostControls(this.#store);
    const priors = new PriorControls(this.#store, decided);
    const free = decided ? null : new AbstentionControls(this.#store);
    const buttons = actions(this.#store, {
      note: this.#address.saved?.note ?? "",
      copy: (note) => {
        const answer = document.getElementById("answer-text");
        return this.#pristine.text({ fragment: this.#fragment(), note }, answer);
      },
      fragment: () => this.#fragment(),
      files: () =>
        applicationFiles(this.#store.problem, {
          classes: payload.classes,
          names: payload.names,
          scores: payload.scores,
          reference: referenceOf(payload),
        }),
    });
    const panel = h(
      "div.controls",
      this.#chooser(),
      this.#legend(),
      costs.element,
      priors.element,
      free?.element,
      buttons.element,
    );
    const side = h("div.results-side", this.#address.refused, this.#results.element, this.#confusion.element);
    this.#live.append(panel, side);
    // A panel taller than the window scrolls with the page until its end is seen.
    new ResizeObserver(() => panel.style.setProperty("--tall", `${panel.offsetHeight}px`)).observe(panel);
    document.querySelector("main")?.classList.add("lively");
    return [costs, priors, ...(free ? [free] : []), buttons];
  }

  /** Say what the shades beneath the sliders mean. */
  #legend(): Child {
    const { payload, names } = this.#model;
    if (payload.noInterval !== "" || payload.classes.length > MOST_FLIPPED) return null;
    const key = (look: string, text: string) => [h("span", { class: `zone-key ${look}` }, HIDDEN), `${text} `];
    const rows = names.length === 2 ? ` Upper row: ${names[0]}; lower: ${names[1]}.` : "";
    return h(
      "p.hint",
      "Under the sliders: ",
      ...key("useful", "worth using,"),
      ...key("unclear", "unclear,"),
      ...key("worse", "not worth using."),
      rows,
    );
  }

  #chooser(): Child {
    const { applications } = this.#model.payload;
    if (applications.length < 2) return null;
    const select = h(
      "select",
      { id: "application" },
      ...applications.map((one, i) => h("option", { value: i }, one.name)),
    );
    on(select, "change", () => this.#store.choose(select.selectedIndex));
    this.#chosen = () => {
      select.selectedIndex = this.#store.application;
    };
    return h(
      "fieldset.group",
      h("legend", h("label", { for: "application" }, "Application")),
      select,
    );
  }

  #buildPictures(): void {
    const model = this.#model;
    const store = this.#store;
    const two = [CostCurves, RocPicture, Reliability, Scores, Thresholds, Trade];
    const kinds = { levels: two, rows: [Trade, Confidence, Classes], decisions: [Classes] };
    const kind = model.payload.live?.kind ?? "decisions";
    this.#moving = kinds[kind].map((One) => new One(model, store));
    const box = h("div.figures", ...this.#moving.map((one) => one.figure.element));
    document.getElementById("pictures")?.append(box);
  }

  #fragment(): string {
    const { problem, payload, application } = this.#store;
    return toFragment(problem, payload.applications[application]);
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
    this.#model.forget();
    this.#chosen();
    for (const control of this.#controls) control.show();
    const found = this.#model.find(this.#store.problem);
    document.querySelector("main")?.classList.toggle("waiting", found === null);
    if (found === null) return; // the samples are still being read
    this.#show(found);
    performance.clearMeasures("update");
    performance.measure("update", { start: began });
    if (!this.#settled) {
      this.#flips.forget();
      return;
    }
    this.#address.remember();
    if (this.#model.decoded) this.#flips.find();
    if (found.preview)
      this.#model.findAll(this.#store.problem, this.#script, (all) => this.#show(all));
  }

  #show(found: Found): void {
    this.#answer?.show(found);
    this.#results.show(found, this.#answer?.text ?? "", this.#settled);
    this.#confusion.show(found);
    if (this.#model.decoded) for (const one of this.#moving) one.show(found);
    const { payload, levels } = this.#model;
    const point = operatingPoint(found.problem, payload);
    const fits = levels.every((one) => sameRatios(one, found.problem, payload, payload.oddsPriors));
    this.#compared.strip?.show(point ? Math.exp(-point.logOdds) : NaN, fits);
  }
}

/** Return the priors that the scores of the first system hold at. */
function referenceOf({ live }: Payload): number[] | null {
  return live === null || live.kind === "decisions" ? null : (live.systems[0]?.reference ?? null);
}
