/** Holds the core to what the library finds: tests/golden.py writes the cases. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import * as core from "../src/core/index";
import { precise } from "../src/core/thresholds";
import { number, roundPercent } from "../src/page/text";
import { nearEnds } from "./ends";
import type { LiveData, Outcome, Problem } from "../src/types";

interface Case {
  name: string;
  classes: string[];
  live: LiveData;
  facts: core.Facts;
  problem: Problem;
  expected: Outcome;
}

const golden = JSON.parse(readFileSync(new URL("../test/golden.json", import.meta.url), "utf8"));

/** Compare numbers, lists and records; null stands for NaN. */
function near(got: unknown, wanted: unknown, tolerance: number, what: string, floor = 1e-15): void {
  if (wanted === null) return assert.ok(got === null || Number.isNaN(got), `${what}: got ${got}`);
  if (wanted === "inf") return assert.equal(got, Infinity, what);
  if (typeof wanted === "number") {
    const gap = Math.abs((got as number) - wanted);
    const fine = got === wanted || gap <= Math.max(tolerance * Math.abs(wanted), floor);
    return assert.ok(fine, `${what}: got ${got}, wanted ${wanted}`);
  }
  const [ours, theirs] = [got, wanted] as Record<string, unknown>[];
  if (Array.isArray(wanted)) assert.equal((got as unknown[]).length, wanted.length, what);
  for (const key of Object.keys(theirs)) near(ours[key], theirs[key], tolerance, `${what}.${key}`, floor);
}

async function systemOf(one: Case): Promise<core.SystemData> {
  return (await core.decode(one))[0];
}

for (const one of [...golden.levels, ...golden.rows] as Case[]) {
  test(`outcome: ${one.name} (${one.live.kind})`, async () => {
    const found = core.judge(await systemOf(one), one.problem, one.facts);
    const { counts, interval, naiveDecision, samples, ...values } = one.expected;
    const whole = one.facts.noInterval === "";
    if (whole) assert.deepEqual(found.counts, counts);
    else near(found.counts, counts, 1e-12, "counts");
    assert.equal(found.naiveDecision, naiveDecision);
    assert.equal(found.samples, samples);
    near(found, values, 1e-12, "outcome");
    nearEnds(found.interval, interval, "interval");
    assert.equal(core.reasonOf(found, one.problem, one.facts) === "", values.normalized !== null);
  });
}

for (const one of golden.curves) {
  const levels = async (): Promise<core.Levels> => (await systemOf(one)) as core.Levels;

  test(`risk curve: ${one.name}`, async () => {
    const curve = core.riskCurve(await levels(), one.problem, one.facts, one.theta);
    const { actual, minimum, naive } = one.risk;
    near(curve, { actual, minimum, naive }, 1e-12, "risk");
  });

  test(`dialects: ${one.name}`, async () => {
    const curve = core.riskCurve(await levels(), one.problem, one.facts, one.theta);
    const places = { bayesError: "logOdds", ape: "logOdds", costCurve: "effective" } as const;
    for (const name of core.dialectNames) {
      const found = core.view(curve, name);
      const turned = name in places;
      const order = <T>(values: T[]): T[] => (turned ? [...values].reverse() : values);
      near(found.actual, order(one.risk[name]), 1e-9, name, 1e-12);
      const x = turned ? one.risk[places[name as keyof typeof places]] : one.theta;
      near(found.x, order(x), 1e-9, `${name} x`);
      if (one.bands === null) continue; // the library's curve takes ties by the last bit
      near(found.minimum, one.bands[name].minimum, 1e-9, `${name} minimum`, 1e-12);
      const { low, high } = one.bands[name].band;
      const { band } = found;
      assert.deepEqual([band!.low.length, band!.high.length], [low.length, high.length]);
      low.forEach((end: number, k: number) =>
        nearEnds([band!.low[k], band!.high[k]], [end, high[k]], `${name} band at ${found.x[k]}`),
      );
    }
  });

  test(`calibration loss: ${one.name}`, async () => {
    const curve = core.riskCurve(await levels(), one.problem, one.facts);
    const loss = core.calibrationLoss(curve);
    assert.ok(loss.normalized.every((x) => x >= -1e-15 && x <= loss.worst.normalized));
    assert.ok(curve.theta.length <= 600);
    assert.ok(curve.minimum.every((m, i) => m <= curve.naive[i] + 1e-15));
  });

  test(`operating point: ${one.name}`, async () => {
    const point = core.operatingPoint(one.problem, one.facts)!;
    const curve = core.riskCurve(await levels(), one.problem, one.facts, [point.theta]);
    const found = core.judge(await levels(), one.problem, one.facts);
    near(point.base + point.scale * curve.actual[0], found.expected, 1e-12, "cost");
    const { priors } = curve;
    near(core.placeOf("bayesError", point.theta, priors), point.logOdds, 1e-12, "log odds");
    if (point.base !== 0) return;
    const { x, actual, band } = core.view(curve, "relativeValue");
    near(x[0], point.theta, 1e-12, "x");
    near(1 - actual[0], found.normalized, 1e-12, "value");
    nearEnds([1 - band!.high[0], 1 - band!.low[0]], found.interval, "interval");
  });

  test(`cross-entropy: ${one.name}`, async () => {
    const found = core.entropyCurve(await levels(), one.problem, one.facts, [-3, -2, -1, 0, 1, 2, 3]);
    near(found, one.entropy, 1e-10, "cross-entropy");
  });

  test(`ROC: ${one.name}`, async () => {
    const { hullAlarms, hullDetections } = core.roc(await levels());
    near({ hullAlarms, hullDetections }, one.roc, 1e-12, "ROC");
  });

  test(`sweep: ${one.name}`, async () => {
    const found = core.sweep(await levels(), one.problem, one.facts)!;
    near(found.best.expected, one.sweep.best, 1e-12, "best");
    near(found.bayes.expected, one.sweep.bayes, 1e-12, "Bayes");
    near(found.bayes.threshold, one.sweep.threshold, 1e-12, "threshold");
    near(found.expected.at(-1), one.sweep.last, 1e-12, "last");
    assert.ok(found.expected.every((cost) => cost >= found.best.expected));
    const least = core.leastCost(await levels(), one.problem, one.facts)!;
    near(least.cost, one.sweep.best, 1e-12, "least cost");
    assert.deepEqual([least.low, least.error], [least.cost, 0]);
    near(least.logOdds, found.best.logOdds, 1e-12, "threshold of the least cost");
  });

  test(`reliability: ${one.name}`, async () => {
    for (const kind of ["width", "mass"] as const) {
      const found = core.reliability(await levels(), one.problem, one.facts, kind);
      near(found, one.reliability[kind], 1e-10, kind);
    }
    const steps = core.isotonic(await levels(), one.problem, one.facts);
    near(steps.map((step) => step.frequency), one.isotonic, 1e-10, "isotonic");
  });

  test(`histogram: ${one.name}`, async () => {
    const found = core.histogram(await levels(), one.problem, one.facts, 17);
    near(found, one.histogram, 1e-10, "histogram");
  });

  test(`abstention: ${one.name}`, async () => {
    const costs = [[0, 1], [5, 0]];
    const asked = { ...one.problem, costs, decisions: ["no", "yes"] };
    const found = core.abstention(await levels(), asked, one.facts, one.abstention.price);
    near(found, one.abstention, 1e-12, "abstention");
  });
}

for (const one of golden.confidence) {
  test(`confidence and recalls: ${one.name}`, async () => {
    const rows = (await systemOf(one)) as core.Rows;
    near(core.confidence(rows, one.problem, one.facts), one.confidence, 1e-10, "confidence");
    near(core.recalls(core.judge(rows, one.problem, one.facts)), one.recalls, 1e-12, "recalls");
  });
}

for (const [share, text] of golden.percents as [number, string][]) {
  test(`a share of ${share} in a sentence`, () => assert.equal(roundPercent(share), text));
}

test("thresholds read as the library writes them", () => {
  for (const [value, text] of golden.thresholds as [number, string][])
    assert.equal(precise(value), text);
});

test("numbers read as the library writes them", () => {
  const special: Record<string, number> = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  for (const [value, digits, text] of golden.numbers as [string, number, string][])
    assert.equal(number(special[value] ?? Number(value), digits), text, value);
});

for (const { costs, posterior, decision } of golden.regions) {
  test(`regions of ${JSON.stringify(costs)}`, () => {
    const found = core.regions(costs);
    const at = (p: number) => found.find((r) => r.from <= p && p <= r.to)!.decision;
    const cost = (p: number, j: number) => (1 - p) * costs[0][j] + p * costs[1][j];
    posterior.forEach((p: number, i: number) => {
      near(cost(p, at(p)), cost(p, decision[i]), 1e-12, `cost at ${p}`);
    });
    assert.equal(found[0].from, 0);
    assert.equal(found.at(-1)!.to, 1);
    found.slice(1).forEach((r, i) => assert.equal(r.from, found[i].to));
    assert.ok(found.every((r) => r.from < r.to));
  });
}

test("files for the command line, which the library reads back", () => {
  const written = golden.files.map((one: { problem: Problem; about: core.About }) =>
    core.applicationFiles(one.problem, one.about),
  );
  mkdirSync(new URL("../build/", import.meta.url), { recursive: true });
  writeFileSync(new URL("../build/files.json", import.meta.url), JSON.stringify(written));
  assert.ok(written.every((files: core.TextFile[]) => files[0].name === "application.toml"));
});
