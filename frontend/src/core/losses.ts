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
  const size = counts.map((row) => fsum(row));
  const mean = counts.map((row, i) => dot(row, costs[i]) / size[i]);
  const variance = counts.map(
    (row, i) => dot(row, costs[i].map((c) => (c - mean[i]) ** 2)) / size[i],
  );
  const kept = optimalDecisions(costs).map((best, j) => best || counts.some((row) => row[j] > 0));
  const some = costs.map((row) => row.filter((_, j) => kept[j]));
  const low = some.map((row) => Math.min(...row));
  const high = some.map((row) => Math.max(...row));
  return { size, mean, variance, low, high };
}

/** Return the sum over classes of the prior times a value; a class of prior 0 does not count. */
export function expectation(priors: number[], values: number[]): number {
  const terms: number[] = [];
  for (let i = 0; i < priors.length; i++) if (priors[i] > 0) terms.push(priors[i] * values[i]);
  return fsum(terms);
}

/**
 * Return the adjusted Wald interval of an expected cost, in units of a reference cost.
 *
 * Some pseudo-samples, half at the least and half at the largest cost of their class, are added
 * before the usual formula; where there are two ways to choose how many, the intervals are joined. With priors of the data the class frequencies vary too, and
 * with them the reference; `reference` is its cost for each class and `unit` its expected cost.
 */
export function interval(
  losses: ClassLosses,
  priors: number[],
  fromData: boolean,
  z: number,
  reference: number[],
  unit: number,
): [number, number] {
  const reach = losses.high.map((most, i) => most - losses.low[i]);
  const bands = pseudoSamples(priors, reach, losses.size, z).map((amounts) =>
    paddedInterval(losses, amounts, priors, fromData, z, reference, unit),
  );
  return [Math.min(...bands.map((band) => band[0])), Math.max(...bands.map((band) => band[1]))];
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

/** Return the interval after some pseudo-samples of each class were added. */
function paddedInterval(
  losses: ClassLosses,
  amounts: number[],
  priors: number[],
  fromData: boolean,
  z: number,
  reference: number[],
  unit: number,
): [number, number] {
  const { size, mean, variance } = padded(losses, amounts);
  const centre = expectation(priors, mean) / unit;
  const reach = (value: number): number => {
    let [square, total] = [0, 0];
    for (let i = 0; i < priors.length; i++) {
      if (!(priors[i] > 0)) continue;
      const gap = fromData ? mean[i] - value * reference[i] : 0;
      square += ((priors[i] * priors[i]) / size[i]) * (variance[i] + gap * gap);
      total += size[i];
    }
    const shift = ((value - centre) * unit) ** 2 / total;
    return (z * Math.sqrt(Math.max(square - shift, 0))) / unit;
  };
  const half = reach(centre);
  // a ratio varies more the higher it is
  const varies = fromData && new Set(reference.filter((_, i) => priors[i] > 0)).size > 1;
  const above = varies ? Math.max(half, reach(centre + half)) : half;
  const [least, most] = range(losses, priors, fromData, reference);
  return [Math.max(centre - half, least / unit), Math.min(centre + above, most / unit)];
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
  reference: number[],
): [number, number] {
  const { low, high } = losses;
  if (!fromData) return [expectation(priors, low), expectation(priors, high)];
  if (!reference.every((r) => r === 1)) return [0, Infinity];
  const seen = (values: number[]) => values.filter((_, i) => priors[i] > 0);
  return [Math.min(...seen(low)), Math.max(...seen(high))];
}
