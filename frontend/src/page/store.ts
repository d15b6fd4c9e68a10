/** The one state of the page, and who is told when it changes. */
import type { Choice } from "../core/state";
import type { Payload, Problem } from "../types";
import { problemOf, sameProblem } from "./edits";

const MOST_KEPT = 100;

export type Listener = (settled: boolean) => void;

/** Holds the problem that the reader chose. */
export class Store {
  problem: Problem;
  application = 0;
  focus = 0; // the system of pictures that show one
  readonly #listeners: Listener[] = [];
  readonly #initial: Problem[] = []; // by application
  #past: Choice[] = []; // what can be gone back to, the newest last
  #rest: Choice; // as it last was when nothing moved

  constructor(readonly payload: Payload) {
    this.problem = this.initial;
    this.#rest = this.#now;
  }

  get #now(): Choice {
    return { application: this.application, problem: this.problem };
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /** Go back to what was chosen before. */
  undo(): void {
    const last = this.#past.pop();
    if (!last) return;
    this.take(last);
    this.tell(true);
  }

  /** Keep what was chosen before, once something else is. */
  #keep(): void {
    const now = this.#now;
    const rest = this.#rest;
    if (now.application === rest.application && sameProblem(now.problem, rest.problem)) return;
    this.#past = [...this.#past, rest].slice(-MOST_KEPT);
    this.#rest = now;
  }

  /** The problem as the report was made for it. */
  get initial(): Problem {
    return (this.#initial[this.application] ??= problemOf(this.payload.applications[this.application]));
  }

  get isInitial(): boolean {
    return sameProblem(this.problem, this.initial);
  }

  /** Take the choice of an address. */
  take({ application, problem }: Choice): void {
    this.application = application;
    this.problem = problem;
    this.#rest = this.#now;
  }

  /** Take a new problem; `settled` is false while a slider still moves. */
  set(problem: Problem, settled: boolean): void {
    this.problem = problem;
    if (settled) this.#keep();
    this.tell(settled);
  }

  /** Go to an application, and to its costs and priors. */
  choose(application: number): void {
    this.application = application;
    this.set(this.initial, true);
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  tell(settled: boolean): void {
    for (const listener of this.#listeners) listener(settled);
  }
}
