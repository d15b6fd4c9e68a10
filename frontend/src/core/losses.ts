/** What is known of the cost within each true class: enough for any priors and any interval. */
import { optimalDecisions } from "./dominance";
import { dot, fsum } from "./sums";

/** Samples, mean and spread of the cost of each class, with its least and largest cost. */
export interface ClassLosses {
  size: number[];
  mean: number[];
  variance: number[];
  low: number[];
  high: number[];
}

/**
 * Return the losses of a table of counts, classes in rows and decisions in columns.
 *
 * Decisions that no posterior makes optimal play no part in the least and largest cost, unless
 * they were made.
 */
export function lossesOf(counts: number[][], costs: number[][]): ClassLosses {
  const kept = optimalDecisions(costs);
  for (const row of counts) for (let j = 0; j < row.length; j++) kept[j] ||= row[j] > 0;
  const losses: ClassLosses = { size: [], mean: [], variance: [], low: [], high: [] };
  for (const [i, row] of counts.entries()) {
    const [made, paid]: number[][] = [[], []]; // tables of many classes are mostly 0
    let [low, high] = [Infinity, -Infinity];
    for (let j = 0; j < kept.length; j++) {
      const cost = costs[i][j];
      if (row[j] !== 0) {
        made.push(row[j]);
        paid.push(cost);
      }
      if (!kept[j]) continue;
      if (cost < low) low = cost;
      if (cost > high) high = cost;
    }
    const size = fsum(made);
    const mean = dot(made, paid) / size;
    losses.size.push(size);
    losses.mean.push(mean);
    losses.variance.push(dot(made, paid.map((cost) => (cost - mean) ** 2)) / size);
    losses.low.push(low);
    losses.high.push(high);
  }
  return losses;
}

/** Return the sum over classes of the prior times a value; a class of prior 0 does not count. */
export function expectation(priors: number[], values: ArrayLike<number>): number {
  const terms = new Float64Array(priors.length);
  let n = 0;
  for (let i = 0; i < priors.length; i++) if (priors[i] > 0) terms[n++] = priors[i] * values[i];
  return fsum(terms, n);
}

/** The interval of an expected cost, in units of a reference cost. */
export type Intervals = (reference: ArrayLike<number>, unit: number) => [number, number];

/**
 * Return what gives the adjusted Wald interval of an expected cost in units of any reference.
 *
 * Some pseudo-samples, half at the least and half at the largest cost of their class, are added
 * before the usual formula; where there are two ways to choose how many, the intervals are joined.
 * With priors of the data the class frequencies vary too, and with them the reference; `reference`
 * is its cost for each class and `unit` its expected cost.
 */
export function intervalsOf(
  losses: ClassLosses,
  priors: number[],
  fromData: boolean,
  z: number,
): Intervals {
  const reach = losses.high.map((most, i) => most - losses.low[i]);
  const all = pseudoSamples(priors, reach, losses.size, z).map((amounts) =>
    paddedIntervals(losses, amounts, priors, fromData, z),
  );
  return (reference, unit) => {
    const bands = all.map((one) => one(reference, unit));
    return [Math.min(...bands.map((band) => band[0])), Math.max(...bands.map((band) => band[1]))];
  };
}

/**
 * Return how many pseudo-samples each class gets: z^2 in all, the same for each class.
 *
 * Where one class makes most of the uncertainty they are too few: there is then a second choice,
 * with z^2 times its share of that.
 */
export function pseudoSamples(
  priors: number[],
  reach: number[],
  size: number[],
  z: number,
): number[][] {
  const seen = priors.filter((p) => p > 0).length;
  const even = priors.map((p) => (p > 0 ? 1 / seen : 0));
  const most = priors.map((p, i) => (p > 0 ? (p * reach[i]) ** 2 / size[i] : 0));
  const total = most.reduce((sum, value) => sum + value, 0);
  const share = total > 0 ? most.map((value) => value / total) : even;
  const times = (shares: number[]) => shares.map((value) => z * z * value);
  if (share.every((value, i) => value <= even[i])) return [times(even)];
  return [times(even), times(share.map((value, i) => Math.max(value, even[i])))];
}

/** Return what gives the interval after some pseudo-samples of each class were added. */
function paddedIntervals(
  losses: ClassLosses,
  amounts: number[],
  priors: number[],
  fromData: boolean,
  z: number,
): Intervals {
  const { size, mean, variance } = padded(losses, amounts);
  const cost = expectation(priors, mean);
  const seen = [...priors.keys()].filter((i) => priors[i] > 0);
  const total = seen.reduce((sum, i) => sum + size[i], 0);
  const weight = priors.map((p, i) => (p * p) / size[i]);
  return (reference, unit) => {
    const centre = cost / unit;
    const reach = (value: number): number => {
      let square = 0;
      for (const i of seen) {
        const gap = fromData ? mean[i] - value * reference[i] : 0;
        square += weight[i] * (variance[i] + gap * gap);
      }
      const shift = ((value - centre) * unit) ** 2 / total;
      return (z * Math.sqrt(Math.max(square - shift, 0))) / unit;
    };
    const half = reach(centre);
    // a ratio varies more the higher it is
    const varies = fromData && seen.some((i) => reference[i] !== reference[seen[0]]);
    const above = varies ? Math.max(half, reach(centre + half)) : half;
    const [least, most] = range(losses, priors, fromData, reference);
    return [Math.max(centre - half, least / unit), Math.min(centre + above, most / unit)];
  };
}

/** Return losses with more samples of each class, half at the least, half at the largest cost. */
function padded(losses: ClassLosses, amounts: number[]): ClassLosses {
  const more: ClassLosses = { ...losses, size: [], mean: [], variance: [] };
  for (let i = 0; i < losses.size.length; i++) {
    const [low, high, amount] = [losses.low[i], losses.high[i], amounts[i]];
    const size = losses.size[i] + amount;
    const share = amount > 0 ? amount / size : 0;
    const mean = (1 - share) * losses.mean[i] + (share * (low + high)) / 2;
    const inner = losses.variance[i] + (losses.mean[i] - mean) ** 2;
    const outer = ((low - mean) ** 2 + (high - mean) ** 2) / 2;
    more.size.push(size);
    more.mean.push(mean);
    more.variance.push((1 - share) * inner + share * outer);
  }
  return more;
}

/** Return the least and largest expected cost of any system; no bound if the reference varies. */
function range(
  losses: ClassLosses,
  priors: number[],
  fromData: boolean,
  reference: ArrayLike<number>,
): [number, number] {
  const { low, high } = losses;
  if (!fromData) return [expectation(priors, low), expectation(priors, high)];
  for (let i = 0; i < priors.length; i++) if (reference[i] !== 1) return [0, Infinity];
  const seen = (values: number[]) => values.filter((_, i) => priors[i] > 0);
  return [Math.min(...seen(low)), Math.max(...seen(high))];
}
