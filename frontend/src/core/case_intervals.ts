/** Intervals of costs that differ from case to case: the closed form of `stakes.results.ExpectedLoss`. */
import { type ClassLosses, expectation, pseudoSamples } from "./losses";

type Ends = [number, number];

const FEW = 50; // cases of a class, below which other cases show too how large its prices can be
const MANY = 200; // from which on the most expensive one is no longer taken for a common one
const COSTLY = 0.95; // share of all cases that the costly one is at least as expensive as

/** Cases, what each decision costs each of them by class, and the decisions made. */
export interface PricedCases {
  y: Uint8Array;
  weights: Float64Array | null;
  cells: Float64Array[]; // of class and decision: 00, 01, 10, 11
  chosen: Uint8Array;
}

/** Moments of a price within each class, cases by squared weight; `drift` is 0 for equal weights. */
interface Moments {
  size: number[];
  mean: number[];
  drift: number[];
  variance: number[];
}

type Losses = ClassLosses & Moments;

/** How the cost of a constant decision varies within each class, alone and with what was paid. */
interface NaivePrices extends Moments {
  covariance: number[];
  padding: number[]; // of the costly case that pseudo-samples stand for
}

/** Return the intervals of the normalised cost and of the cost itself. */
export function caseIntervals(
  cases: PricedCases,
  priors: number[],
  fromData: boolean,
  z: number,
  best: number,
): { interval: Ends | null; costInterval: Ends | null } {
  const { y, cells, chosen } = cases;
  const paid = eachOf(y.length, (t) => cells[2 * y[t] + chosen[t]][t]);
  const own = momentsOf(cases, paid);
  const optimal = optimalOf(cells);
  const constants = [0, 1].map((j) => constantOf(cases, paid, own, j, optimal));
  const losses: Losses = { ...own, ...costlyRange(cases, optimal) };
  const band = (prices: NaivePrices | null) => joined(losses, prices, priors, fromData, z);
  const ends = band(constants[best]);
  const other = constants[1 - best];
  const rival = fromData && optimal[1 - best].some((one) => one === 1) && expectation(priors, other.mean) > 0;
  if (rival) ends[1] = Math.max(ends[1], band(other)[1]);
  return { interval: whole(ends), costInterval: whole(band(null)) };
}

function whole(ends: Ends): Ends | null {
  return ends.some(Number.isNaN) ? null : ends;
}

/** Return a number for each case; much quicker than `Float64Array.from`. */
export function eachOf(n: number, of: (t: number) => number): Float64Array {
  const found = new Float64Array(n);
  for (let t = 0; t < n; t++) found[t] = of(t);
  return found;
}

/** Return the moments of what is paid for each case. */
function momentsOf({ y, weights }: PricedCases, price: Float64Array): Moments {
  const [all, x, squares, first, second] = Array.from({ length: 5 }, () => new Float64Array(2));
  for (let t = 0; t < y.length; t++) {
    const w = weights ? weights[t] : 1;
    const [i, own] = [y[t], w * price[t]];
    all[i] += w;
    x[i] += own;
    squares[i] += w * w;
    first[i] += w * own;
    second[i] += own * own;
  }
  const mean = [0, 1].map((i) => x[i] / all[i]);
  return {
    mean,
    size: mean.map((_, i) => (all[i] * all[i]) / squares[i]),
    drift: mean.map((m, i) => first[i] / squares[i] - m),
    variance: mean.map((m, i) => Math.max((second[i] - 2 * m * first[i]) / squares[i] + m * m, 0)),
  };
}

function constantOf(
  cases: PricedCases,
  paid: Float64Array,
  own: Moments,
  j: number,
  optimal: Uint8Array[],
): NaivePrices {
  const { y, cells } = cases;
  const price = eachOf(y.length, (t) => cells[2 * y[t] + j][t]);
  const alone = momentsOf(cases, price);
  const joint = momentsOf(cases, eachOf(y.length, (t) => price[t] + paid[t])).variance;
  const covariance = joint.map((both, i) => (both - alone.variance[i] - own.variance[i]) / 2);
  const padding = costlyCases(cases, optimal).map((t, i) => cells[2 * i + j][t]);
  return { ...alone, covariance, padding };
}

/** Return for either decision and each case whether some posterior makes it optimal. */
function optimalOf([a, b, c, d]: Float64Array[]): Uint8Array[] {
  const [first, second] = [new Uint8Array(a.length), new Uint8Array(a.length)];
  for (let t = 0; t < a.length; t++) {
    first[t] = a[t] <= b[t] || c[t] <= d[t] ? 1 : 0;
    second[t] = b[t] < a[t] || d[t] < c[t] ? 1 : 0;
  }
  return [first, second];
}

/** Return the prices of a case that can occur: those of decisions that are optimal or were made. */
function possible({ cells, chosen }: PricedCases, optimal: Uint8Array[], i: number, t: number): number[] {
  return [0, 1].filter((j) => optimal[j][t] === 1 || chosen[t] === j).map((j) => cells[2 * i + j][t]);
}

/** Return the least and the largest price of a costly case of each class. */
function costlyRange(cases: PricedCases, optimal: Uint8Array[]): { low: number[]; high: number[] } {
  const prices = costlyCases(cases, optimal).map((t, i) => possible(cases, optimal, i, t));
  return { low: prices.map((some) => Math.min(...some)), high: prices.map((some) => Math.max(...some)) };
}

const known = new WeakMap<Uint8Array, number[]>(); // by decisions, which are new for each setting

/**
 * Return a costly case for each class.
 *
 * It is the most expensive one; where a class has few, at least the case that is more expensive
 * than most would be if they were of this class. Where it has many, it is the case that the mean
 * price falls to if each case counts by its price.
 */
function costlyCases(cases: PricedCases, optimal: Uint8Array[]): number[] {
  const found = known.get(cases.chosen) ?? [0, 1].map((i) => costlyCase(cases, optimal, i));
  known.set(cases.chosen, found);
  return found;
}

function costlyCase({ y, cells, chosen }: PricedCases, optimal: Uint8Array[], i: number): number {
  const [one, other] = [cells[2 * i], cells[2 * i + 1]];
  const largest = eachOf(y.length, (t) => {
    const first = optimal[0][t] === 1 || chosen[t] === 0 ? one[t] : -Infinity;
    const second = optimal[1][t] === 1 || chosen[t] === 1 ? other[t] : -Infinity;
    return Math.max(first, second);
  });
  const mine = placesOf(y, i);
  const candidates = mine.length > 0 ? [costlyOf(mine, largest)] : [];
  if (mine.length < FEW) candidates.push(moreThanMost(largest));
  return candidates.reduce((top, t) => (largest[t] > largest[top] ? t : top));
}

const places = new WeakMap<Uint8Array, number[][]>();

/** Return the cases of a class. */
function placesOf(y: Uint8Array, i: number): number[] {
  let found = places.get(y);
  if (!found) {
    found = [[], []];
    for (let t = 0; t < y.length; t++) found[y[t]].push(t);
    places.set(y, found);
  }
  return found[i];
}

function costlyOf(mine: number[], largest: Float64Array): number {
  const top = mine.reduce((best, t) => (largest[t] > largest[best] ? t : best));
  const total = mine.reduce((sum, t) => sum + largest[t], 0);
  if (mine.length < MANY || total <= 0) return top;
  const typical = Math.min(mine.reduce((sum, t) => sum + largest[t] ** 2, 0) / total, largest[top]);
  return mine.reduce((best, t) => (largest[t] >= typical && largest[t] < largest[best] ? t : best), top);
}

function moreThanMost(largest: Float64Array): number {
  const place = Math.min(Math.floor(COSTLY * largest.length), largest.length - 1);
  return largest.indexOf(largest.slice().sort()[place]);
}

/** Return the interval in units of a constant decision, or of 1; both choices of pseudo-samples are joined. */
function joined(losses: Losses, prices: NaivePrices | null, priors: number[], fromData: boolean, z: number): Ends {
  const reach = losses.high.map((most, i) => most - losses.low[i]);
  const bands = pseudoSamples(priors, reach, losses.size, z).map((amounts) =>
    paddedInterval(losses, prices, amounts, priors, fromData, z),
  );
  return [Math.min(...bands.map((band) => band[0])), Math.max(...bands.map((band) => band[1]))];
}

function paddedInterval(
  losses: Losses,
  prices: NaivePrices | null,
  amounts: number[],
  priors: number[],
  fromData: boolean,
  z: number,
): Ends {
  const more = padded(losses, amounts);
  const unit = prices ? expectation(priors, paddedMean(prices, losses.size, amounts)) : 1;
  const centre = expectation(priors, more.mean) / unit;
  const total = priors.reduce((sum, p, i) => (p > 0 ? sum + more.size[i] : sum), 0);
  const reach = (value: number): number => {
    const about = prices ? padded(residuals(losses, prices, value), amounts) : more;
    const from = prices ? 0 : value;
    let square = 0;
    for (const [i, p] of priors.entries()) {
      if (!(p > 0)) continue;
      const spread = fromData ? spreadAbout(about, i, from) : about.variance[i];
      square += ((p * p) / about.size[i]) * spread;
    }
    return (z * Math.sqrt(Math.max(square - ((value - centre) * unit) ** 2 / total, 0))) / unit;
  };
  const half = reach(centre);
  const above = fromData && prices ? Math.max(half, reach(centre + half)) : half; // a ratio varies more the higher it is
  return [Math.max(centre - half, 0), centre + above];
}

function paddedMean({ mean, padding }: NaivePrices, size: number[], amounts: number[]): number[] {
  return mean.map((m, i) => {
    const share = shareOf(amounts[i], size[i]);
    return (1 - share) * m + share * padding[i];
  });
}

/** Return the losses less a ratio times those of a constant decision on the same cases. */
function residuals(losses: Losses, prices: NaivePrices, ratio: number): Losses {
  const less = (values: number[], others: number[]) => values.map((x, i) => x - ratio * others[i]);
  return {
    size: losses.size,
    mean: less(losses.mean, prices.mean),
    drift: less(losses.drift, prices.drift),
    variance: losses.variance.map((x, i) =>
      Math.max(x - 2 * ratio * prices.covariance[i] + ratio * ratio * prices.variance[i], 0),
    ),
    low: less(losses.low, prices.padding),
    high: less(losses.high, prices.padding),
  };
}

/** Return losses with more cases of each class, half at the least, half at the largest price. */
function padded(losses: Losses, amounts: number[]): Losses {
  const share = losses.size.map((size, i) => shareOf(amounts[i], size));
  const mix = (i: number, old: number, added: number) => (1 - share[i]) * old + share[i] * added;
  const { low, high } = losses;
  const mean = losses.mean.map((m, i) => mix(i, m, (low[i] + high[i]) / 2));
  return {
    ...losses,
    mean,
    size: losses.size.map((size, i) => size + amounts[i]),
    drift: losses.drift.map((drift, i) => (1 - share[i]) * drift),
    variance: mean.map((m, i) =>
      mix(i, spreadAbout(losses, i, m), ((low[i] - m) ** 2 + (high[i] - m) ** 2) / 2),
    ),
  };
}

function shareOf(amount: number, size: number): number {
  return amount > 0 ? amount / (size + amount) : 0;
}

/** Return the mean squared distance of the loss of a class from a value. */
function spreadAbout({ mean, drift, variance }: Moments, i: number, value: number): number {
  const gap = mean[i] - value;
  return Math.max(variance[i] + 2 * drift[i] * gap + gap * gap, 0);
}
