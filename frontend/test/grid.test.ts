/** The bound of what a grid can miss holds for any costs and priors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as core from "../src/core/index";
import type { Problem } from "../src/types";

/** Return numbers between 0 and 1 that repeat. */
function noise(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function scores(next: () => number, n: number): core.Levels {
  const level = Float64Array.from({ length: n }, () => 8 * (next() + next() + next()) - 12).sort();
  const second = level.map((z) => (next() < 1 / (1 + Math.exp(-z)) ? 1 : 0));
  const first = second.map((one) => 1 - one);
  return { kind: "levels", name: "", reference: null, auc: NaN, level, first, second };
}

/** Gather levels in cells of some width; each becomes one level in its middle. */
function gathered(full: core.Levels, width: number): core.Levels {
  const cells = new Map<number, [number, number]>();
  full.level.forEach((z, i) => {
    const cell = cells.get(Math.ceil(z / width)) ?? [0, 0];
    cells.set(Math.ceil(z / width), [cell[0] + full.first[i], cell[1] + full.second[i]]);
  });
  const keys = [...cells.keys()].sort((a, b) => a - b);
  const part = (k: 0 | 1) => Float64Array.from(keys, (key) => cells.get(key)![k]);
  const level = Float64Array.from(keys, (key) => (key - 0.5) * width);
  return { ...full, level, first: part(0), second: part(1) };
}

test("no normalised cost is farther off than the bound, and most are much nearer", () => {
  const next = noise(7);
  const full = scores(next, 4000);
  const grid = gathered(full, 0.25);
  const counts = [full.first, full.second].map((w) => w.reduce((a, b) => a + b, 0));
  const facts = { dataPriors: [0.5, 0.5], counts, quantile: 1.96, noInterval: "" };
  let [worst, largest, idle] = [0, 0, 0];
  for (let i = 0; i < 400; i++) {
    const prior = 10 ** (-4 * next());
    const third = i % 2 === 0 ? [] : [0.2 * next()];
    const problem: Problem = {
      costs: [[0, next() + 0.01, ...third], [(next() + 0.01) * 10 ** (3 * next()), 0, ...third]],
      decisions: ["a", "b", "c"].slice(0, 2 + third.length),
      priors: [1 - prior, prior],
      fromData: false,
      adapt: i % 3 === 0,
    };
    const [exact, near] = [full, grid].map((one) => core.judge(one, problem, facts).normalized);
    const bound = core.gridError(grid, problem, facts);
    assert.ok(Math.abs(exact - near) <= bound * (1 + 1e-9) + 1e-12, `${exact} ${near} ${bound}`);
    worst = Math.max(worst, Math.abs(exact - near) / bound);
    largest = Math.max(largest, bound);
    if (third.length > 0) continue;
    const [sharp, least] = [full, grid].map((one) => {
      return core.leastCost(one, problem, facts, null, one === full)!;
    });
    assert.equal(sharp.error, 0);
    assert.ok(least.low <= sharp.cost * (1 + 1e-12) && sharp.cost <= least.cost * (1 + 1e-12));
    assert.ok(Math.abs(least.normalized - sharp.normalized) <= least.error + 1e-12);
    idle = Math.max(idle, (least.cost - sharp.cost) / (least.cost - least.low || 1));
  }
  assert.ok(worst > 0.1, `the bound is idle: ${worst}`);
  assert.ok(largest > 0);
  assert.ok(idle > 0.1, `the bound of the least cost is idle: ${idle}`);
});
