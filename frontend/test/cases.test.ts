/** Holds costs by case to what the library finds (tests/golden_cases.py), and to laws. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as core from "../src/core/index";
import { nearEnds } from "./ends";

const golden = JSON.parse(readFileSync(new URL("../test/golden.json", import.meta.url), "utf8"));

function close(got: number, wanted: number | null, what: string): void {
  if (wanted === null) return assert.ok(isNaN(got), `${what}: got ${got}`);
  const fine = Math.abs(got - wanted) <= Math.max(1e-12 * Math.abs(wanted), 1e-15);
  assert.ok(fine, `${what}: got ${got}, wanted ${wanted}`);
}

const facts = (dataPriors: number[]) => ({ dataPriors, quantile: 1.959963984540054, noInterval: "", counts: [] });

for (const one of golden.cases) {
  test(`costs by case: ${one.name}`, async () => {
    const cases = await core.decodeCases(one.data);
    const found = core.judgeCases(cases, cases.systems[0], one.problem, facts(one.dataPriors));
    for (const key of ["expected", "naive", "normalized", "reviewed"] as const)
      close(found[key], one.expected[key], key);
    assert.equal(found.naiveDecision, one.expected.naiveDecision);
    nearEnds(found.interval, one.intervals[0], "interval");
    nearEnds(found.costInterval, one.intervals[1], "interval of the cost");
    const [first, second] = found.counts;
    close(second[1] / (second[0] + second[1]), one.found, "found");
    close(first[0] / (first[0] + first[1]), one.spared, "spared");
  });

  test(`bands of amounts add up: ${one.name}`, async () => {
    const cases = await core.decodeCases(one.data);
    const found = core.judgeCases(cases, cases.systems[0], one.problem, facts(one.dataPriors));
    const bands = core.amountBands(cases, one.problem, found.chosen);
    const sum = (of: (band: core.AmountBand) => number) => bands.reduce((all, band) => all + of(band), 0);
    assert.ok(Math.abs(sum((b) => b.share) - 1) < 1e-12);
    assert.ok(Math.abs(sum((b) => b.share * b.reviewed) - found.reviewed) < 1e-12);
    assert.ok(bands.every((band, k) => k === 0 || band.from === bands[k - 1].to));
  });
}

test("levels of cases hold every case, infinite log odds too", () => {
  const system = { name: "", reference: null, auc: NaN, logOdds: Float64Array.of(1, -Infinity, 1, Infinity, -Infinity) };
  const cases = { n: 5, total: 5, y: Uint8Array.of(1, 0, 0, 1, 0), weights: null, amounts: [], systems: [system] };
  const levels = core.levelsOfCases(cases, system);
  assert.deepEqual(Array.from(levels.level), [-Infinity, 1, Infinity]);
  assert.deepEqual(Array.from(levels.first), [2, 1, 0]);
  assert.deepEqual(Array.from(levels.second), [0, 1, 1]);
});

test("cases that tie are reviewed together or not at all", () => {
  const system = { name: "", reference: null, auc: NaN, logOdds: new Float64Array(4) };
  const amounts = [Float64Array.of(50, 20, 20, 4)];
  const cases = { n: 4, total: 4, y: Uint8Array.of(1, 0, 0, 1), weights: null, amounts, systems: [system] };
  const problem = { cells: [[0, 3], [{ amounts: 0 }, 0]], multiplier: 1, priors: [0.5, 0.5], fromData: true, adapt: false };
  const reviewed = (cap: number | null) =>
    Array.from(core.judgeCases(cases, system, { ...problem, cap }, facts([0.5, 0.5])).chosen);
  assert.deepEqual(reviewed(null), [1, 1, 1, 1]);
  assert.deepEqual(reviewed(0.75), [1, 1, 1, 0]);
  assert.deepEqual(reviewed(0.5), [1, 0, 0, 0]);
  assert.deepEqual(reviewed(0.2), [0, 0, 0, 0]);
});
