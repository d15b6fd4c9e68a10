/** Which decisions are ever taken: a closed form, and the simplex method that it stands for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { byComparison, optimalDecisions } from "../src/core/dominance";

/** Numbers between 0 and 1 that are the same every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

test("one price of errors: the closed form is the simplex method", () => {
  const next = random(7);
  let [some, none] = [0, 0];
  for (let i = 0; i < 300; i++) {
    const k = 3 + Math.floor(next() * 5);
    const errors = Array.from({ length: k }, () => Number((next() * 10 + 0.01).toPrecision(2)));
    const price = next() * 8 + 0.01;
    const table = errors.map((error, r) => errors.map((_, j) => (r === j ? 0 : error)));
    const more = table.map((row) => [...row, price]);
    assert.deepEqual(optimalDecisions(table), byComparison(table));
    assert.deepEqual(optimalDecisions(more), byComparison(more));
    if (optimalDecisions(more)[k]) some += 1;
    else none += 1;
  }
  assert.ok(some > 30 && none > 30);
});

test("a hundred classes need no table of the simplex method", () => {
  const errors = Array.from({ length: 100 }, (_, i) => 1 + (i % 7));
  const costs = errors.map((error, r) => [...errors.map((_, j) => (r === j ? 0 : error)), 0.3]);
  const began = performance.now();
  for (let i = 0; i < 200; i++) optimalDecisions(costs.map((row) => [...row]));
  assert.ok(performance.now() - began < 4000); // the simplex method takes minutes
});
