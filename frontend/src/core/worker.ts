/** Judging apart from the page: the data go over once, then problems; the newest one wins. */
import type { Outcome, Payload, Problem } from "../types";
import { decode, type SystemData } from "./data";
import { judge, type Facts } from "./judge";

/** What a worker needs of a page. */
export type Load = Facts & Pick<Payload, "live" | "classes">;

/** A problem for all systems. */
export interface Request {
  id: number;
  problem: Problem;
}

/** What a worker finds, one outcome for each system. */
export interface Reply {
  id: number;
  outcomes: Outcome[];
}

export type Message = { load: Load } | { ask: Request };

/** The side of a channel that a worker or a page has. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: any }) => unknown) | null;
}

/** Answer the messages of a page; a problem that a newer one overtakes gets no answer. */
export function serve(port: Port): void {
  let loaded: Promise<[SystemData[], Facts]> | null = null;
  let newest = -Infinity;
  port.onmessage = async ({ data }: { data: Message }) => {
    if ("load" in data) {
      loaded = decode(data.load).then((systems) => [systems, data.load]);
      return;
    }
    const { id } = data.ask;
    newest = Math.max(newest, id);
    if (loaded === null) return;
    const [systems, facts] = await loaded;
    await pause(); // so that newer problems on their way are seen
    if (id < newest) return;
    const reply = await answer(systems, facts, data.ask, () => id < newest);
    if (reply !== null) port.postMessage(reply);
  };
}

/** Judge all systems; null as soon as the problem is stale. */
async function answer(
  systems: SystemData[],
  facts: Facts,
  asked: Request,
  stale: () => boolean,
): Promise<Reply | null> {
  const outcomes: Outcome[] = [];
  for (const system of systems) {
    outcomes.push(judge(system, asked.problem, facts));
    await pause();
    if (stale()) return null;
  }
  return { id: asked.id, outcomes };
}

/** Let other messages in. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** The page's side: asks, and hears of the newest answer alone. */
export class Judge {
  #port: Port;
  #id = 0;

  constructor(port: Port, load: Load, heard: (reply: Reply) => void) {
    this.#port = port;
    port.onmessage = ({ data }: { data: Reply }) => {
      if (data.id === this.#id) heard(data);
    };
    const { live, classes, dataPriors, quantile, noInterval, counts } = load;
    const sent: Load = { live, classes, dataPriors, quantile, noInterval, counts };
    port.postMessage({ load: sent } satisfies Message);
  }

  /** Ask for a problem; what was asked before is forgotten. */
  ask(request: Omit<Request, "id">): void {
    this.#id += 1;
    this.#port.postMessage({ ask: { ...request, id: this.#id } } satisfies Message);
  }

  /** Forget what was asked. */
  forget(): void {
    this.#id += 1;
  }
}
