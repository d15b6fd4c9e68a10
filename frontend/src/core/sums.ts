/** Sums that keep their digits, and the log odds of a probability. */

export const TIE = 8 * Number.EPSILON; // of the largest cost: what rounding makes of a tie

/** Return the sum of the first n numbers, rounded once, as Python's math.fsum does. */
export function fsum(values: ArrayLike<number>, n = values.length): number {
  if (n < 3) return n === 2 ? values[0] + values[1] : n === 1 ? values[0] : 0;
  const near = nearly(values, n);
  if (near !== null) return near;
  const parts: number[] = [];
  for (let i = 0; i < n; i++) {
    let x = values[i];
    let kept = 0;
    for (let j = 0; j < parts.length; j++) {
      let y = parts[j];
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) parts[kept++] = low;
      x = high;
    }
    parts.length = kept;
    parts.push(x);
  }
  return joined(parts);
}

/** Return the sum rounded once, by a sum and its remainder, where these leave no doubt; else null. */
function nearly(values: ArrayLike<number>, n: number): number | null {
  let [sum, rest, lost] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const x = values[i];
    const next = sum + x;
    const part = next - sum;
    const error = sum - (next - part) + (x - part);
    const more = rest + error;
    const of = more - rest;
    lost += Math.abs(rest - (more - of) + (error - of));
    rest = more;
    sum = next;
  }
  const found = sum + rest;
  const part = found - sum;
  const off = Math.abs(sum - (found - part) + (rest - part));
  const sure = off === 0 && lost === 0;
  return sure || off + 2 * lost < (Math.abs(found) * Number.EPSILON) / 8 ? found : null;
}

/** Add parts that do not overlap, the largest last; a tie of the rounding goes by the rest. */
function joined(parts: number[]): number {
  let n = parts.length;
  if (n === 0) return 0;
  let high = parts[--n];
  let low = 0;
  while (n > 0 && low === 0) {
    const x = high;
    const y = parts[--n];
    high = x + y;
    low = y - (high - x);
  }
  if (n > 0 && low !== 0 && low > 0 === parts[n - 1] > 0) {
    const twice = low * 2;
    const x = high + twice;
    if (x - high === twice) high = x;
  }
  return high;
}

let products = new Float64Array(128); // kept, as many sums of products are asked for in a row

/** Return the sum of products of two lists, rounded once after each product. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (products.length < a.length) products = new Float64Array(2 * a.length);
  let n = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] * b[i];
    if (x !== 0) products[n++] = x; // tables of counts are mostly 0
  }
  return fsum(products, n);
}

/** Return the sum of many numbers; exact for whole numbers below 2**53. */
export function total(values: ArrayLike<number>): number {
  let sum = 0;
  let rest = 0;
  for (let i = 0; i < values.length; i++) {
    const next = sum + values[i];
    rest += sum >= values[i] ? sum - next + values[i] : values[i] - next + sum;
    sum = next;
  }
  return sum + rest;
}

/** Return log(p / (1 - p)); minus and plus infinity at 0 and 1. */
export function logit(p: number): number {
  return Math.log(p) - Math.log1p(-p);
}

/** Return 1 / (1 + exp(-x)), exact also where it is near 0. */
export function sigmoid(x: number): number {
  const small = Math.exp(-Math.abs(x));
  return x > 0 ? 1 / (1 + small) : small / (1 + small);
}
