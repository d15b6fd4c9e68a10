/** The live page: state, controls, results and pictures, put together. */
import {
  applicationFiles,
  decodeCases,
  fromFragment,
  operatingPoint,
  sameRatios,
  toFragment,
} from "../core/index";
import type { Payload } from "../types";
import { actions } from "./actions";
import { Answer } from "./answer";
import { Reliability, RocPicture, Scores, Thresholds } from "./binary";
import { CasesPage, ownOf } from "./cases";
import { Confusion } from "./confusion";
import { Pristine, type Saved } from "./copy";
import { CostControls } from "./costs";
import { dialOf } from "./dial";
import { type Child, h, HIDDEN, on } from "./dom";
import { Figure, type Picture } from "./figure";
import { Flips } from "./flips";
import { forest, OddsStrip } from "./forest";
import { Classes, Confidence, Trade } from "./many";
import { Model } from "./model";
import { CostCurves } from "./operating";
import { AbstentionControls, PriorControls } from "./priors";
import { type Found, Results } from "./results";
import { Store } from "./store";

/** Fill the page; `script` is the text of this very script, for a worker. */
export async function start(script: string): Promise<void> {
  const payload = JSON.parse(
    document.getElementById("stakes-data")?.textContent ?? "null",
  ) as Payload | null;
  const live = document.getElementById("live");
  const pictures = document.getElementById("pictures");
  if (!payload || !live || !pictures) return;
  const pristine = new Pristine();
  const model = await Model.load(payload);
  const shown = compared(payload, model.names);
  if (payload.cases) {
    new CasesPage(payload, payload.cases, await decodeCases(payload.cases), await ownOf(payload.cases)).begin(live, pictures);
  } else if (payload.live === null || payload.applications.length === 0) {
    live.append(h("p", `Costs and priors cannot be changed here: ${payload.whyNotLive}.`));
    if (shown.figures.length === 0) pictures.hidden = true;
  } else {
    new LivePage(model, script, live, shown, pristine).begin();
  }
  const box = pictures.querySelector(".figures") ?? pictures.appendChild(h("div.figures"));
  const first = payload.kind === "comparison" ? (box.firstChild?.nextSibling ?? null) : null;
  for (const figure of shown.figures) box.insertBefore(figure.element, first);
}

interface Compared {
  figures: Figure[];
  strip: OddsStrip | null;
}

/** Return the pictures of a comparison that no cost changes. */
function compared(payload: Payload, names: string[]): Compared {
  const others = payload.differences.map((one) => one.system);
  const first = payload.odds
    .map((one) => one.system)
    .filter((name): name is string => name !== null && !others.includes(name));
  const tones = new Map([...new Set([...names, ...first, ...others])].map((name, i) => [name, i]));
  const figures: Figure[] = [];
  const differences = forest(payload, tones);
  if (differences) {
    const note =
      "Differences as the report was made, with intervals; filled where a system is distinguishable from the reference.";
    figures.push(new Figure("Differences", differences, () => {}, { note, wide: true }));
  }
  const strip = payload.odds.length > 0 ? new OddsStrip(payload.odds, tones) : null;
  if (strip) {
    const note =
      "By odds: the cost times prior of false alarms over that of misses. A system is named where it is distinguishable from all others, over the whole range at once; beyond the ends no threshold was observed.";
    figures.push(
      new Figure("Which costs least at which odds", strip.element, () => {}, { note, wide: true }),
    );
  }
  return { figures, strip };
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
  readonly #saved: Saved | null = Pristine.saved();
  readonly #controls: { show(): void }[];
  #moving: Picture[] = [];
  #settled = true;
  #chosen: () => void = () => {}; // shows which application is chosen
  #waiting = false;
  #begun = false;
  readonly #refused = h("p.refused", { role: "status", hidden: true }); // why a link is not followed

  constructor(model: Model, script: string, live: HTMLElement, compared: Compared, pristine: Pristine) {
    this.#pristine = pristine;
    this.#model = model;
    this.#script = script;
    this.#live = live;
    this.#compared = compared;
    const { payload } = model;
    this.#store = new Store(payload);
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
    this.#restore();
    this.#store.listen((settled) => this.#follow(settled));
    addEventListener("hashchange", () => {
      this.#restore();
      this.#store.tell(true);
    });
    addEventListener("beforeprint", () => this.#moving.forEach((one) => one.figure.flush()));
    this.#update();
    if (!this.#model.decoded) afterPaint(() => this.#read());
  }

  /** Read the samples, and show what needs them. */
  async #read(): Promise<void> {
    await this.#model.decode();
    this.#update();
  }

  #buildControls(): { show(): void }[] {
    const { payload } = this.#model;
    const decided = payload.live?.kind === "decisions";
    const costs = new CostControls(this.#store);
    const priors = new PriorControls(this.#store, decided);
    const free = decided ? null : new AbstentionControls(this.#store);
    const buttons = actions(this.#store, {
      note: this.#saved?.note ?? "",
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
    const side = h("div.results-side", this.#refused, this.#results.element, this.#confusion.element);
    this.#live.append(panel, side);
    // A panel taller than the window scrolls with the page until its end is seen.
    new ResizeObserver(() => panel.style.setProperty("--tall", `${panel.offsetHeight}px`)).observe(panel);
    document.querySelector("main")?.classList.add("lively");
    return [costs, priors, ...(free ? [free] : []), buttons];
  }

  /** Say what the shades beneath the sliders mean. */
  #legend(): Child {
    const { payload, names } = this.#model;
    if (payload.noInterval !== "" || payload.classes.length > 2) return null;
    const key = (look: string, text: string) => [h("span", { class: `zone-key ${look}` }, HIDDEN), `${text} `];
    const rows = names.length === 2 ? ` Upper row: ${names[0]}; lower: ${names[1]}.` : "";
    return h(
      "p.hint",
      "Under the sliders: ",
      ...key("useful", "worth using,"),
      ...key("unclear", "not shown,"),
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

  /** Take the choice from the address, if there is one; say if it is refused. */
  #restore(): void {
    const saved = this.#saved ? `#${this.#saved.fragment}` : "";
    const hash = location.hash.startsWith("#v=") ? location.hash : this.#begun ? location.hash : saved;
    this.#begun = true;
    const choice = fromFragment(hash, this.#model.payload);
    this.#refused.hidden = choice === null || !("refused" in choice);
    if (choice === null) return;
    if ("problem" in choice) this.#store.take(choice);
    else
      this.#refused.textContent = `The link was not followed: ${choice.refused}. Nothing was changed.`;
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
    this.#remember();
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

  /** Keep the choice in the address, so that it can be shared and survives a reload. */
  #remember(): void {
    const same = this.#store.application === 0 && this.#store.isInitial;
    if (same && !location.hash.startsWith("#v=")) return; // it may be the place of a section
    try {
      history.replaceState(
        null,
        "",
        same ? location.href.split("#")[0] : `#${this.#fragment()}`,
      );
    } catch {
      // a page inside a frame may have no address of its own
    }
  }
}

/** Return the priors that the scores of the first system hold at. */
function referenceOf({ live }: Payload): number[] | null {
  return live === null || live.kind === "decisions" ? null : (live.systems[0]?.reference ?? null);
}

/** Call a function once what was changed can be seen. */
function afterPaint(call: () => void): void {
  requestAnimationFrame(() => setTimeout(call, 0));
}
