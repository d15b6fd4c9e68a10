/** The systems of a page and what follows from the reader's problem: the one place where the page asks the core. */
import {
  gridError,
  decode,
  judge,
  judgeRows,
  Judge,
  type Least,
  leastCost,
  outcome,
  priorsOf,
  reasonOf,
  regions,
  unpack,
  workOf,
  type Levels,
  type Port,
  type Rows,
  type SystemData,
} from "../core/index";
import type { ApplicationData, Outcome, OwnData, Payload, Problem } from "../types";
import { sameList, sameTable } from "./edits";
import type { Found } from "./results";

const PREVIEW_ROWS = 20_000; // of all systems together, while something moves
const FEWEST_ROWS = 4_000;
const PREVIEW_CELLS = 300_000; // posteriors of all systems together
const PREVIEW_PRODUCTS = 4_000_000; // of posteriors and costs, of all systems together
const FEWEST_OF_MANY = 200; // rows where there are many classes; see `firstRows` for rare ones

/** Judges all systems: at once on some samples, then on all of them elsewhere. */
export class Model {
  readonly names: string[];
  #systems: SystemData[] = [];
  #decoding: Promise<void> | null = null;
  #decoded = false;
  #remote: Judge | null = null;
  #heard: ((outcomes: Outcome[]) => void) | null = null;

  private constructor(
    readonly payload: Payload,
    readonly own: (OwnCounts | null)[][], // by application and system
  ) {
    this.names = payload.live?.systems.map((system) => system.name) ?? [];
  }

  /** Return the model; the samples of many classes, which take long, are read by `decode`. */
  static async load(payload: Payload): Promise<Model> {
    const own = await Promise.all(
      payload.applications.map((one) =>
        Promise.all(one.own.map((found) => found && ownCounts(found, one.decisions.length))),
      ),
    );
    const model = new Model(payload, own);
    if (payload.live?.kind !== "rows") await model.decode();
    return model;
  }

  /** Read the systems; until then only the report's own settings have numbers. */
  decode(): Promise<void> {
    this.#decoding ??= decode(this.payload).then((systems) => {
      this.#systems = systems;
      this.#decoded = true;
      performance.mark("decoded");
    });
    return this.#decoding;
  }

  get decoded(): boolean {
    return this.#decoded;
  }

  get systems(): SystemData[] {
    return this.#systems;
  }

  get levels(): Levels[] {
    return this.systems.filter((system) => system.kind === "levels");
  }

  get rows(): Rows[] {
    return this.systems.filter((system) => system.kind === "rows");
  }

  /** How many rows of each system are judged while something moves. */
  limit({ costs }: Problem): number {
    const systems = this.names.length;
    const rows = Math.max(FEWEST_ROWS, Math.floor(PREVIEW_ROWS / systems));
    const cells = PREVIEW_CELLS / (systems * costs.length);
    const products = PREVIEW_PRODUCTS / (systems * workOf(costs));
    return Math.min(rows, Math.max(FEWEST_OF_MANY, Math.floor(Math.min(cells, products))));
  }

  priors(problem: Problem): number[] {
    return priorsOf(problem, this.payload);
  }

  /** Return what follows at once; null if that needs samples which are still being read. */
  find(problem: Problem): Found | null {
    const known = this.#known(problem);
    if (known) return { ...this.#found(problem, known, false), own: true };
    if (!this.#decoded) return null;
    const limit = this.limit(problem);
    const preview = this.rows.some((rows) => rows.n > limit);
    return this.#found(problem, this.#outcomes(problem, limit), preview);
  }

  /** Find what follows on all samples, apart from the page where that can be; the newest question wins. */
  findAll(problem: Problem, script: string, done: (found: Found) => void): void {
    this.#heard = (outcomes) => done(this.#found(problem, outcomes, false));
    const here = () => setTimeout(() => this.#heard?.(this.#outcomes(problem, Infinity)), 0);
    try {
      this.#remote ??= this.#employ(script, here);
      this.#remote.ask({ problem });
    } catch {
      here();
    }
  }

  /** Return what follows for one system, on all its samples. */
  outcome(i: number, problem: Problem): Outcome {
    const { live } = this.payload;
    if (live?.kind === "decisions") return this.#decided(live.systems[i].counts, problem);
    return judge(this.systems[i], problem, this.payload);
  }

  /** Return what the report itself shows, if these are its own costs and priors. */
  #known(problem: Problem): Outcome[] | null {
    const at = problem.adapt ? -1 : this.#place(problem);
    const found = this.own[at] ?? [];
    if (found.length !== this.names.length || found.length === 0) return null;
    const samples = this.payload.counts.reduce((sum, n) => sum + n, 0);
    const outcomes: Outcome[] = [];
    for (const one of found) {
      if (one === null) return null;
      const { expected, normalized, interval, costInterval } = one.data;
      const noInterval = interval === undefined ? this.payload.noInterval : "those of the report";
      const counted = { counts: one.counts, impossible: 0, samples };
      const own = { ...outcome(counted, problem, { ...this.payload, noInterval }), expected, normalized };
      if (interval !== undefined) own.interval = ends(interval);
      if (costInterval !== undefined) own.costInterval = ends(costInterval);
      outcomes.push(own);
    }
    return outcomes;
  }

  forget(): void {
    this.#heard = null;
    this.#remote?.forget();
  }

  #employ(script: string, failed: () => void): Judge {
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.onerror = failed;
    return new Judge(worker as unknown as Port, this.payload, (reply) =>
      this.#heard?.(reply.outcomes),
    );
  }

  #outcomes(problem: Problem, limit: number): Outcome[] {
    const { live } = this.payload;
    if (live?.kind === "decisions")
      return live.systems.map((one) => this.#decided(one.counts, problem));
    return this.systems.map((system) =>
      system.kind === "rows"
        ? judgeRows(system, problem, this.payload, limit)
        : judge(system, problem, this.payload),
    );
  }

  #decided(counts: number[][], problem: Problem): Outcome {
    const samples = this.payload.counts.reduce((sum, n) => sum + n, 0);
    return outcome({ counts, impossible: 0, samples }, problem, this.payload);
  }

  #found(problem: Problem, outcomes: Outcome[], preview: boolean): Found {
    const two = this.payload.classes.length === 2 && this.systems.length > 0;
    return {
      problem,
      outcomes,
      reasons: outcomes.map((one) => reasonOf(one, problem, this.payload)),
      regions: two ? regions(problem.costs) : null,
      preview,
      error: this.#error(problem),
    };
  }

  /** Whether numbers follow from all scores, not from a grid of them. */
  get exact(): boolean {
    const { live } = this.payload;
    return live?.kind !== "levels" || live.exact;
  }

  /** Return the least cost of any threshold of a system with levels; that of the report at its own applications. */
  least(i: number, problem: Problem): Least | null {
    const known = this.#own(problem)?.least[i] ?? null;
    return leastCost(this.levels[i], problem, this.payload, known, this.exact);
  }

  /** Return the application of the report that has these costs and priors. */
  #own(problem: Problem): ApplicationData | undefined {
    const now = this.priors(problem);
    return this.payload.applications.find(
      ({ costs, priors }) => sameList(priors, now) && sameTable(costs, problem.costs),
    );
  }

  /** Return the place of the application that has these costs and priors, and priors of the same kind; -1 without one. */
  #place(problem: Problem): number {
    const now = this.priors(problem);
    return this.payload.applications.findIndex(
      ({ costs, priors, fromData }) =>
        fromData === problem.fromData && sameList(priors, now) && sameTable(costs, problem.costs),
    );
  }

  /** Return how far numbers can be from those of all scores; not at all for the report's own. */
  #error(problem: Problem): number {
    if (this.exact || (this.#own(problem) && !problem.adapt)) return 0;
    return Math.max(...this.levels.map((one) => gridError(one, problem, this.payload)));
  }
}

/** What was found for a system at an application, unpacked. */
export interface OwnCounts {
  counts: number[][];
  data: OwnData;
}

export async function ownCounts(data: OwnData, decisions: number): Promise<OwnCounts> {
  const flat = Array.from(await unpack(data.counts));
  const counts: number[][] = [];
  for (let at = 0; at < flat.length; at += decisions) counts.push(flat.slice(at, at + decisions));
  return { counts, data };
}

/** Return an interval whose upper end may be infinite. */
export function ends(interval: NonNullable<OwnData["interval"]> | null): [number, number] | null {
  return interval && [interval[0], interval[1] === "inf" ? Infinity : interval[1]];
}
