/**
 * The range of a metric over all reweightings of the rows, together with half an unseen row where
 * it would do most harm, that are not less likely than exp(-q^2 / 2); as `stakes.inference`.
 */

const HALF = 0.5; // rows that the unseen row counts for which would move a metric most
const TRACE = 1e-9; // rows that each other one that may occur counts for
const MOST_ROUNDS = 60;
const MOST_HALVINGS = 10;
const GAIN = 1e-9; // of the way from the value to the end, below which the search ends
const MOST_TILTS = 120;
const MOST_STEPS = 60;
const FARTHEST = 1e60; // tilts beyond it change nothing but harmless traces
const SMALLEST = 1e-300;
const LAST_STEP = 1e-9; // relative: of a tilt, and of a gap, where what is missing is its square
const NEAR = 0.05; // within it a series has more digits than logarithms

export type Interval = [number, number];

/** Rows that are alike, and rows that may occur but were not seen, which come last. */
export interface Cells {
  counts: Float64Array; // how many rows each cell stands for; 0 for those not seen
  seen: number;
  stratum: Uint16Array; // of each row: the design fixed how many rows a stratum has
  strata: number;
}

/** A function of the weights of rows, which stays if all weights of a stratum are multiplied. */
export interface Metric {
  value(weights: Float64Array): number;
  slopes(weights: Float64Array, out: Float64Array): void; // the derivative by each weight
}

/** Return the ends of a metric at a radius. */
export function intervalOf(cells: Cells, metric: Metric, radius: number): Interval {
  const start = metric.value(cells.counts);
  if (!isFinite(start)) return [NaN, NaN];
  const end = searchOf(cells, metric, radius, start);
  return [end(-1), end(1)];
}

/** Return an interval, or null where an end is not a number: of a class without rows. */
export function whole(ends: Interval): Interval | null {
  return ends.some(Number.isNaN) ? null : ends;
}

/**
 * Return what finds the largest (side 1) or smallest (side -1) value; that of the rows seen is within.
 *
 * Frank and Wolfe's method: each step goes to the best weights for the slopes at the last ones,
 * halved while that improves the metric.
 */
function searchOf(cells: Cells, metric: Metric, radius: number, start: number): (side: number) => number {
  const n = cells.counts.length;
  const [harm, slope, way, tried, counts, weights] = arrays(6, n);
  const ball = ballOf(cells, radius);
  metric.slopes(cells.counts, harm);

  /** Set how much rows count, the worst of those unseen among them. */
  const augment = (side: number): void => {
    let worst = cells.seen;
    for (let u = worst; u < n; u++) if (side * harm[u] > side * harm[worst]) worst = u;
    counts.set(cells.counts);
    counts.fill(TRACE, cells.seen);
    if (cells.seen < n) counts[worst] = HALF;
  };

  /** Go the way, or the part of it that improves the metric most; return by how much. */
  const step = (side: number, best: number): number => {
    let [gain, taken] = [0, 0];
    for (let halving = 0, part = 1; halving < MOST_HALVINGS; halving++, part /= 2) {
      for (let u = 0; u < n; u++) tried[u] = weights[u] + part * way[u];
      const more = side * (metric.value(tried) - best);
      if (more > gain) [gain, taken] = [more, part];
      else if (gain > 0) break;
    }
    for (let u = 0; u < n; u++) weights[u] += taken * way[u];
    return gain;
  };

  return (side) => {
    augment(side);
    ball.about(counts);
    weights.set(counts);
    let best = metric.value(weights);
    for (let round = 0; round < MOST_ROUNDS && isFinite(best); round++) {
      metric.slopes(weights, slope);
      if (side < 0) for (let u = 0; u < n; u++) slope[u] = -slope[u];
      ball.most(slope, way);
      let ahead = 0;
      for (let u = 0; u < n; u++) ahead += slope[u] * (way[u] -= weights[u]);
      const least = GAIN * Math.abs(best - start);
      const gain = ahead > least ? step(side, best) : 0;
      best += side * gain;
      if (!(gain > least)) break;
    }
    return side * Math.max(side * best, side * start);
  };
}

interface Ball {
  about(counts: Float64Array): void; // begin with rows that count so much
  most(slope: Float64Array, out: Float64Array): void; // the weights of largest sum of weights * slopes
}

/**
 * Return the weights w of rows that count m, as likely as exp(-r^2 / 2), r^2 = 2 sum m log(m / w).
 *
 * Where a sum of w times slopes is largest for its r, w = m / (s (gap + depth)): the depth is the
 * largest slope of the stratum less that of the row, and its gap such that its sum is kept. So one
 * number s has to be found, from the last one found.
 */
function ballOf({ counts, stratum, strata }: Cells, radius: number): Ball {
  const n = counts.length;
  const m = new Float64Array(n);
  const depth = new Float64Array(n);
  const [size, mean, gap, total, square, top] = arrays(6, strata);
  let held: number[] = []; // strata that have rows
  let last = 0; // tilt, by slopes as they are

  const about = (now: Float64Array): void => {
    m.set(now);
    size.fill(0);
    for (let u = 0; u < n; u++) size[stratum[u]] += m[u];
    held = Array.from(size.keys()).filter((k) => size[k] > 0);
    last = 0;
  };

  /** Set how far each slope lies below the top of its stratum, in units of the farthest. */
  const deepen = (slope: Float64Array): number => {
    top.fill(-Infinity);
    for (let u = 0; u < n; u++) if (slope[u] > top[stratum[u]]) top[stratum[u]] = slope[u];
    let scale = 0;
    for (let u = 0; u < n; u++) {
      depth[u] = top[stratum[u]] - slope[u];
      if (depth[u] > scale) scale = depth[u];
    }
    if (scale > 0) for (let u = 0; u < n; u++) depth[u] /= scale;
    return scale;
  };

  /** Set the mean depths and what is at the top; return the sum of squared distances from the means. */
  const spread = (): number => {
    mean.fill(0);
    top.fill(0);
    for (let u = 0; u < n; u++) {
      mean[stratum[u]] += (m[u] * depth[u]) / size[stratum[u]];
      if (depth[u] <= 0) top[stratum[u]] += m[u];
    }
    let sum = 0;
    for (let u = 0; u < n; u++) sum += m[u] * (depth[u] - mean[stratum[u]]) ** 2;
    return sum;
  };

  /**
   * Set the gaps at a tilt: roots of sum m / (gap + depth) = s * size.
   *
   * Newton's method on the reciprocal of the sum, which is concave: after one step it rises to the
   * root from below.
   */
  const settle = (s: number): void => {
    for (let step = 0, settled = false; step < MOST_STEPS && !settled; step++) {
      for (const k of held) gap[k] = Math.max(gap[k], top[k] / (s * size[k]), 1 / s - mean[k], 1e-120);
      total.fill(0);
      square.fill(0);
      for (let u = 0; u < n; u++) {
        const r = 1 / (gap[stratum[u]] + depth[u]);
        total[stratum[u]] += m[u] * r;
        square[stratum[u]] += m[u] * r * r;
      }
      settled = true;
      for (const k of held) {
        const move = ((1 / (s * size[k]) - 1 / total[k]) * total[k] * total[k]) / square[k];
        gap[k] += move;
        settled &&= Math.abs(move) <= LAST_STEP * gap[k];
      }
    }
  };

  /** Set the weights at a tilt; return their radius and the derivative of its square / 2 by log s. */
  const at = (s: number, out: Float64Array): [number, number] => {
    settle(s);
    square.fill(0);
    let half = 0;
    for (let u = 0; u < n; u++) {
      const ratio = s * (gap[stratum[u]] + depth[u]); // m / w
      const less = (ratio - 1) / ratio;
      out[u] = m[u] / ratio;
      square[stratum[u]] += m[u] * less * less;
      half += m[u] * beyond(ratio, less);
    }
    let bend = 0;
    for (const k of held) bend += square[k] / (1 + square[k] / size[k]);
    return [Math.sqrt(Math.max(2 * half, 0)), bend];
  };

  const most = (slope: Float64Array, out: Float64Array): void => {
    const scale = deepen(slope);
    out.set(m);
    if (!(scale > 0 && scale < Infinity)) return;
    const first = radius / Math.sqrt(spread());
    let s = Math.min(Math.max(last > 0 ? last * scale : first, SMALLEST), FARTHEST);
    let [low, high, off] = [0, Infinity, Infinity];
    gap.fill(0);
    for (let tilt = 0; tilt < MOST_TILTS; tilt++) {
      const [reached, bend] = at(s, out);
      const missing = Math.log(radius / Math.max(reached, SMALLEST));
      const newton = (missing * reached * reached) / Math.max(bend, SMALLEST);
      if (Math.abs(newton) <= LAST_STEP || s >= FARTHEST) break;
      if (missing > 0) low = s;
      else high = s;
      const next = s * Math.exp(Math.min(Math.max(newton, -7), 7));
      const bounded = low > 0 && high < Infinity; // then steps can go back and forth for ever
      const trusted = next > low && next < high && (!bounded || Math.abs(missing) <= off / 2);
      const middle = bounded ? Math.sqrt(low) * Math.sqrt(high) : low > 0 ? 4 * s : s / 4;
      const now = Math.min(trusted ? next : middle, FARTHEST);
      for (const k of held) gap[k] += 1 / now - 1 / s;
      [s, off] = [now, Math.abs(missing)];
    }
    last = s / scale;
  };
  return { about, most };
}

function arrays(many: number, length: number): Float64Array[] {
  return Array.from({ length: many }, () => new Float64Array(length));
}

/** Return log(ratio) - less, less being (ratio - 1) / ratio: near 1 all but their squares cancel. */
function beyond(ratio: number, less: number): number {
  const x = less;
  if (x > NEAR || x < -NEAR) return Math.log(ratio) - x;
  const rest = 1 / 6 + x * (1 / 7 + x * (1 / 8 + x * (1 / 9 + x * (1 / 10 + x / 11))));
  return x * x * (1 / 2 + x * (1 / 3 + x * (1 / 4 + x * (1 / 5 + x * rest))));
}
