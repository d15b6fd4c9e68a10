/** The one state of the page, and who is told when it changes. */
import type { Choice } from "../core/state";
import type { Payload, Problem } from "../types";
import { problemOf } from "./edits";

export type Listener = (settled: boolean) => void;

/** Holds the problem that the reader chose. */
export class Store {
  problem: Problem;
  application = 0;
  focus = 0; // the system of pictures that show one
  readonly #listeners: Listener[] = [];

  constructor(readonly payload: Payload) {
    this.problem = this.initial;
  }

  /** The problem as the report was made for it. */
  get initial(): Problem {
    return problemOf(this.payload.applications[this.application]);
  }

  get isInitial(): boolean {
    return JSON.stringify(this.problem) === JSON.stringify(this.initial);
  }

  /** Take the choice of an address. */
  take({ application, problem }: Choice): void {
    this.application = application;
    this.problem = problem;
  }

  /** Take a new problem; `settled` is false while a slider still moves. */
  set(problem: Problem, settled: boolean): void {
    this.problem = problem;
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
