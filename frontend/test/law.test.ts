/** Holds the law of intervals to that of the library (tests/golden_law.py), and to laws. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { nearEnds } from "./ends";
import { type Cells, intervalOf, type Metric } from "../src/core/law";
import { type LossRows, meanInterval, merged } from "../src/core/means";

const golden = JSON.parse(readFileSync(new URL("../test/golden_law.json", import.meta.url), "utf8"));

type Plain = Record<"y" | "amount" | "weight" | "counts", number[]> & { base: number[] | null };

function rowsOf({ y, amount, weight, counts, base }: Plain): LossRows {
  const numbers = (part: number[]) => Float64Array.from(part);
  return { y: Uint16Array.from(y), amount: numbers(amount), weight: numbers(weight), counts: numbers(counts), base: base && numbers(base) };
}

for (const one of golden.means)
  test(`law: ${one.name}`, () => {
    for (const [radius, ...ends] of one.intervals)
      nearEnds(meanInterval(rowsOf(one.rows), rowsOf(one.possible), one.priors, radius), ends, `at ${radius}`);
  });

/** Return random numbers from 0 to 1, the same ones each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

function cases(n: number, weighted: boolean): [LossRows, LossRows] {
  const next = random(7);
  const each = (of: (t: number) => number) => Float64Array.from({ length: n }, (_, t) => of(t));
  const y = Uint16Array.from({ length: n }, () => +(next() < 0.2));
  const weight = each(() => (weighted ? 0.5 + next() : 1));
  const base = each((t) => weight[t] * Math.exp(3 * next()));
  const amount = each((t) => weight[t] * (next() < 0.5 ? Math.exp(3 * next()) : 0.5));
  const few = (...numbers: number[]) => Float64Array.from(numbers);
  const possible = { y: Uint16Array.of(0, 0, 1, 1), amount: few(0, 2, 0, 12), weight: few(1, 1, 1, 1), base: few(2, 2, 12, 12), counts: few(0, 0, 0, 0) };
  return [{ y, amount, weight, base, counts: each(() => 1) }, possible];
}

test("many rows as few cells have nearly the same intervals", () => {
  for (const weighted of [false, true])
    for (const priors of [null, [0.9, 0.1]]) {
      const [rows, possible] = cases(1000, weighted);
      const [fewer, bases] = merged(rows, [null, rows.base], priors);
      assert.ok(fewer.y.length < 1000 && fewer.y.length > 20, `${fewer.y.length} cells`);
      for (const k of [0, 1]) {
        const base = [null, rows.base][k];
        const wanted = meanInterval({ ...rows, base }, possible, priors, 1.96);
        const what = `${weighted} ${priors} ${k}`;
        nearEnds(meanInterval({ ...fewer, base: bases[k] }, possible, priors, 1.96), wanted, what, 1e-5);
        const [[own]] = [merged({ ...rows, base }, [base], priors)];
        assert.ok(own.y.length < 900 && own.y.length > 20, `${own.y.length} cells`);
        nearEnds(meanInterval(own, possible, priors, 1.96), wanted, what, 1e-5);
      }
    }
});

test("many rows and each of them twice as half of them", () => {
  const [rows, possible] = cases(900, true);
  const twice = (part: Float64Array) => Float64Array.from([...part, ...part]);
  const doubled = {
    y: Uint16Array.from([...rows.y, ...rows.y]),
    amount: twice(rows.amount),
    weight: twice(rows.weight),
    base: twice(rows.base!),
    counts: twice(rows.counts.map((m) => m / 2)),
  };
  nearEnds(meanInterval(doubled, possible, null, 1.96), meanInterval(rows, possible, null, 1.96), "halves", 1e-4);
});

/** Matthews correlation of the four counts, which is no ratio of sums. */
const matthews: Metric = {
  value: ([a, b, c, d, ...more]) => {
    const [p, q, r, s] = [a + more[0], b + more[1], c + more[2], d + more[3]];
    return (p * s - q * r) / Math.sqrt((p + q) * (p + r) * (s + q) * (s + r));
  },
  slopes: (weights, out) => {
    const at = (u: number, by: number) => matthews.value(weights.map((w, v) => (u === v ? w + by : w)));
    for (let u = 0; u < out.length; u++) out[u] = (at(u, 1e-4) - at(u, -1e-4)) / 2e-4;
  },
};

test("the law is that of any function of weights", () => {
  const counts = Float64Array.of(70, 8, 5, 17, 0, 0, 0, 0);
  const cells: Cells = { counts, seen: 4, stratum: new Uint16Array(8), strata: 1 };
  nearEnds(intervalOf(cells, matthews, golden.matthews[0]), golden.matthews.slice(1), "Matthews correlation", 1e-5);
});

test("an interval contains the value, grows with the radius, and turns with the sign", () => {
  for (const priors of [null, [0.7, 0.3]]) {
    const [rows, possible] = cases(60, true);
    const ends = [0.1, 1, 2, 4, 8].map((radius) => meanInterval(rows, possible, priors, radius));
    ends.slice(1).forEach(([low, high], i) => assert.ok(low < ends[i][0] && high > ends[i][1]));
    const turned = (some: LossRows) => ({ ...some, amount: some.amount.map((x) => -x) });
    const [low, high] = meanInterval(turned(rows), turned(possible), priors, 2);
    nearEnds([-high, -low], ends[2], "turned", 1e-9);
  }
});
