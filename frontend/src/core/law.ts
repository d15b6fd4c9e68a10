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
  const search = new Search(cells, metric, radius, start);
  return [search.end(-1), search.end(1)];
}

/** Return the interval of the largest of several numbers: its lower end is at most the exact one. */
export function ofLargest(intervals: Interval[]): Interval {
  return [Math.max(...intervals.map(([low]) => low)), Math.max(...intervals.map(([, high]) => high))];
}

/** Looks for the ends of a metric by Frank and Wolfe's method. */
class Search {
  readonly #cells: Cells;
  readonly #metric: Metric;
  readonly #start: number;
  readonly #ball: Ball;
  readonly #harm: Float64Array; // how much a little more of each row moves the metric
  readonly #slope: Float64Array;
  readonly #way: Float64Array;
  readonly #tried: Float64Array;
  readonly #counts: Float64Array;
  readonly #weights: Float64Array;

  constructor(cells: Cells, metric: Metric, radius: number, start: number) {
    const each = () => new Float64Array(cells.counts.length);
    [this.#cells, this.#metric, this.#start] = [cells, metric, start];
    this.#ball = new Ball(cells, radius);
    [this.#harm, this.#slope, this.#way] = [each(), each(), each()];
    [this.#tried, this.#counts, this.#weights] = [each(), each(), each()];
    metric.slopes(cells.counts, this.#harm);
  }

  /**
   * Return the largest (side 1) or smallest (side -1) value; that at the weights observed is within.
   *
   * Each step goes to the best weights for the slopes at the last ones, halved while that improves
   * the metric.
   */
  end(side: number): number {
    const [metric, start, slope, way, weights] = [this.#metric, this.#start, this.#slope, this.#way, this.#weights];
    this.#augment(side);
    this.#ball.about(this.#counts);
    weights.set(this.#counts);
    let best = metric.value(weights);
    for (let round = 0; round < MOST_ROUNDS && isFinite(best); round++) {
      metric.slopes(weights, slope);
      if (side < 0) for (let u = 0; u < slope.length; u++) slope[u] = -slope[u];
      this.#ball.most(slope, way);
      let ahead = 0;
      for (let u = 0; u < way.length; u++) ahead += slope[u] * (way[u] -= weights[u]);
      const least = GAIN * Math.abs(best - start);
      if (!(ahead > least)) break;
      const gain = this.#step(side, best);
      best += side * gain;
      if (!(gain > least)) break;
    }
    return side * Math.max(side * best, side * start);
  }

  /** Go the way, or the part of it that improves the metric most; return by how much. */
  #step(side: number, best: number): number {
    const [way, tried, weights] = [this.#way, this.#tried, this.#weights];
    let [gain, step] = [0, 0];
    for (let halving = 0, part = 1; halving < MOST_HALVINGS; halving++, part /= 2) {
      for (let u = 0; u < way.length; u++) tried[u] = weights[u] + part * way[u];
      const more = side * (this.#metric.value(tried) - best);
      if (more > gain) [gain, step] = [more, part];
      else if (gain > 0) break;
    }
    for (let u = 0; u < way.length; u++) weights[u] += step * way[u];
    return gain;
  }

  /** Set how much rows count, the worst of those unseen among them. */
  #augment(side: number): void {
    const [{ counts, seen }, harm] = [this.#cells, this.#harm];
    let worst = seen;
    this.#counts.set(counts);
    this.#counts.fill(TRACE, seen);
    for (let u = seen; u < counts.length; u++) if (side * harm[u] > side * harm[worst]) worst = u;
    if (seen < counts.length) this.#counts[worst] = HALF;
  }
}

/**
 * Weights w of rows that count m, as likely as exp(-r^2 / 2), r^2 = 2 sum m log(m / w).
 *
 * Where a sum of w times slopes is largest for its r, w = m / (s (gap + depth)): the depth is the
 * largest slope of the stratum less that of the row, and its gap such that its sum is kept. So one
 * number s has to be found, from the last one found.
 */
class Ball {
  #m: Float64Array;
  readonly #stratum: Uint16Array;
  readonly #radius: number;
  readonly #depth: Float64Array;
  readonly #size: Float64Array;
  readonly #mean: Float64Array;
  readonly #gap: Float64Array;
  readonly #total: Float64Array;
  readonly #square: Float64Array;
  readonly #top: Float64Array;
  #held: number[] = []; // strata that have rows
  #s = 0; // the last tilt, by slopes as they are
  #bend = 0; // the derivative of r^2 / 2 by log s

  constructor({ counts, stratum, strata }: Cells, radius: number) {
    const each = () => new Float64Array(strata);
    [this.#m, this.#stratum, this.#radius, this.#depth] = [counts, stratum, radius, new Float64Array(counts.length)];
    [this.#size, this.#mean, this.#gap, this.#total, this.#square, this.#top] = [each(), each(), each(), each(), each(), each()];
  }

  /** Begin with rows that count so much. */
  about(counts: Float64Array): void {
    this.#m = counts;
    this.#s = 0;
    this.#size.fill(0);
    for (let u = 0; u < counts.length; u++) this.#size[this.#stratum[u]] += counts[u];
    this.#held = [];
    for (let k = 0; k < this.#size.length; k++) if (this.#size[k] > 0) this.#held.push(k);
  }

  /** Find the weights with the largest sum of weights * slopes. */
  most(slope: Float64Array, out: Float64Array): void {
    const scale = this.#deepen(slope);
    out.set(this.#m);
    if (!(scale > 0 && scale < Infinity)) return;
    const spread = this.#spread();
    let s = this.#s > 0 ? this.#s * scale : this.#radius / Math.sqrt(spread);
    s = Math.min(Math.max(s, SMALLEST), FARTHEST);
    let [low, high, off] = [0, Infinity, Infinity];
    for (let k = 0; k < this.#gap.length; k++) this.#gap[k] = Math.max(1 / s - this.#mean[k], 0);
    for (let tilt = 0; tilt < MOST_TILTS; tilt++) {
      const reached = Math.max(this.#at(s, out), SMALLEST);
      const missing = Math.log(this.#radius / reached);
      const newton = (missing * reached * reached) / Math.max(this.#bend, SMALLEST);
      if (Math.abs(newton) <= LAST_STEP || s >= FARTHEST) break;
      if (missing > 0) low = s;
      else high = s;
      const next = s * Math.exp(Math.min(Math.max(newton, -7), 7));
      const bounded = low > 0 && high < Infinity; // then steps can go back and forth for ever
      const trusted = next > low && next < high && (!bounded || Math.abs(missing) <= off / 2);
      off = Math.abs(missing);
      const middle = bounded ? Math.sqrt(low) * Math.sqrt(high) : low > 0 ? 4 * s : s / 4;
      const last = s;
      s = Math.min(trusted ? next : middle, FARTHEST);
      for (let k = 0; k < this.#gap.length; k++) this.#gap[k] += 1 / s - 1 / last;
    }
    this.#s = s / scale;
  }

  /** Set how far each slope lies below the top of its stratum, in units of the farthest. */
  #deepen(slope: Float64Array): number {
    const [depth, stratum, top] = [this.#depth, this.#stratum, this.#top];
    top.fill(-Infinity);
    for (let u = 0; u < slope.length; u++) if (slope[u] > top[stratum[u]]) top[stratum[u]] = slope[u];
    let scale = 0;
    for (let u = 0; u < slope.length; u++) {
      depth[u] = top[stratum[u]] - slope[u];
      if (depth[u] > scale) scale = depth[u];
    }
    if (scale > 0) for (let u = 0; u < slope.length; u++) depth[u] /= scale;
    return scale;
  }

  /** Set the mean depths and what is at the top; return the sum of squared distances from the means. */
  #spread(): number {
    const [m, depth, stratum, mean, top] = [this.#m, this.#depth, this.#stratum, this.#mean, this.#top];
    mean.fill(0);
    top.fill(0);
    for (let u = 0; u < m.length; u++) {
      mean[stratum[u]] += (m[u] * depth[u]) / this.#size[stratum[u]];
      if (depth[u] <= 0) top[stratum[u]] += m[u];
    }
    let spread = 0;
    for (let u = 0; u < m.length; u++) spread += m[u] * (depth[u] - mean[stratum[u]]) ** 2;
    return spread;
  }

  /**
   * Set the weights at a tilt; return their radius.
   *
   * The gap of a stratum is the root of sum m / (gap + depth) = s * size, by Newton's method on the
   * reciprocal of the sum, which is concave: after one step it rises to the root from below.
   */
  #at(s: number, out: Float64Array): number {
    const [m, depth, stratum, size] = [this.#m, this.#depth, this.#stratum, this.#size];
    const [gap, total, square] = [this.#gap, this.#total, this.#square];
    for (let step = 0, settled = false; step < MOST_STEPS && !settled; step++) {
      for (const k of this.#held) {
        const least = Math.max(this.#top[k] / (s * size[k]), 1 / s - this.#mean[k], 1e-120);
        gap[k] = Math.max(gap[k], least);
      }
      total.fill(0);
      square.fill(0);
      for (let u = 0; u < m.length; u++) {
        const r = 1 / (gap[stratum[u]] + depth[u]);
        total[stratum[u]] += m[u] * r;
        square[stratum[u]] += m[u] * r * r;
      }
      settled = true;
      for (const k of this.#held) {
        const move = ((1 / (s * size[k]) - 1 / total[k]) * total[k] * total[k]) / square[k];
        gap[k] += move;
        settled &&= Math.abs(move) <= LAST_STEP * gap[k];
      }
    }
    square.fill(0);
    let radius = 0;
    for (let u = 0; u < m.length; u++) {
      const ratio = s * (gap[stratum[u]] + depth[u]); // m / w
      const less = (ratio - 1) / ratio;
      out[u] = m[u] / ratio;
      square[stratum[u]] += m[u] * less * less;
      radius += m[u] * beyond(ratio, less);
    }
    this.#bend = 0;
    for (const k of this.#held) this.#bend += square[k] / (1 + square[k] / size[k]);
    return Math.sqrt(Math.max(2 * radius, 0));
  }
}

/** Return log(ratio) - less, less being (ratio - 1) / ratio: near 1 all but their squares cancel. */
function beyond(ratio: number, less: number): number {
  const x = less;
  if (x > NEAR || x < -NEAR) return Math.log(ratio) - x;
  const rest = 1 / 6 + x * (1 / 7 + x * (1 / 8 + x * (1 / 9 + x * (1 / 10 + x / 11))));
  return x * x * (1 / 2 + x * (1 / 3 + x * (1 / 4 + x * (1 / 5 + x * rest))));
}
