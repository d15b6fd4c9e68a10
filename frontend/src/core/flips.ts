/** Where the answer changes as one number does. */

/** The verdict on a stretch of values: -1 worth using, 1 not worth using, 0 neither. */
export interface Stretch {
  from: number;
  to: number;
  side: -1 | 0 | 1;
}

const STEPS = 40; // of a bisection: the ends are as near as numbers are shown
const ENOUGH = 1e-4; // relative width at which a bisection ends

/** Return the side of a verdict. */
export function sideOf(code: string): Stretch["side"] {
  return code === "useful" ? -1 : code === "worse_than_naive" ? 1 : 0;
}

/**
 * Yield nothing until all is found, then return the stretches between rising values.
 *
 * Between two neighbours of different sides the change is found by bisection. A side that is taken
 * between two neighbours of the same side alone is not seen. Each step asks for one verdict.
 */
export function* stretches(
  values: number[],
  sideAt: (value: number) => Stretch["side"],
): Generator<undefined, Stretch[]> {
  const found: Stretch[] = [];
  let [last, side] = [values[0], sideAt(values[0])];
  let from = last;
  for (const value of values.slice(1)) {
    const now = sideAt(value);
    yield;
    if (now !== side) {
      let [low, high] = [last, value];
      let beyond = now;
      for (let i = 0; i < STEPS && high - low > ENOUGH * Math.abs(high); i += 1) {
        const middle = low > 0 ? Math.sqrt(low * high) : (low + high) / 2;
        const here = sideAt(middle);
        yield;
        if (here === side) low = middle;
        else [high, beyond] = [middle, here];
      }
      found.push({ from, to: high, side });
      from = high;
      if (beyond !== now) found.push({ from, to: value, side: beyond });
      if (beyond !== now) from = value;
      side = now;
    }
    last = value;
  }
  found.push({ from, to: last, side });
  return found;
}

/** Return values from one to another by equal ratios. */
export function byRatios(low: number, high: number, many: number): number[] {
  return Array.from({ length: many }, (_, i) => low * (high / low) ** (i / (many - 1)));
}

/** Return shares from one to another by equal steps of the log odds. */
export function byOdds(low: number, high: number, many: number): number[] {
  const [a, b] = [low, high].map((p) => Math.log(p / (1 - p)));
  return Array.from({ length: many }, (_, i) => 1 / (1 + Math.exp(-(a + ((b - a) * i) / (many - 1)))));
}

/**
 * Return on which stretches a system is worth using: "less than about 4.5"; empty if on none.
 *
 * The first and last value are where the search ended, not where the verdict changes.
 */
export function usefulWords(all: Stretch[], write: (value: number) => string): string {
  const [first, last] = [all[0].from, all[all.length - 1].to];
  const useful = all.filter((one) => one.side < 0);
  const words = useful.map(({ from, to }) => {
    if (from === first && to === last) return `anything from ${write(from)} to ${write(to)}`;
    if (from === first) return `less than about ${write(to)}`;
    if (to === last) return `more than about ${write(from)}`;
    return `about ${write(from)} to ${write(to)}`;
  });
  return words.length > 3 ? `${words.slice(0, 3).join(", or ")}, or others` : words.join(", or ");
}
