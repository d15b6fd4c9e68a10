/** Laws of the core that need no reference: sums, undefined cases, previews, the worker. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import * as core from "../src/core/index";
import { upperLimit, number, percent } from "../src/page/text";
import type { Packed, Problem } from "../src/types";

const facts = { dataPriors: [0.5, 0.5], quantile: 1.96, noInterval: "", counts: [3, 3] };
const two: Problem = {
  costs: [[0, 1], [5, 0]],
  decisions: ["no", "yes"],
  priors: [0.5, 0.5],
  fromData: true,
  adapt: false,
};

function levels(level: number[], first: number[], second: number[]): core.Levels {
  const [x, a, b] = [level, first, second].map((part) => Float64Array.from(part));
  return { kind: "levels", name: "s", reference: null, auc: NaN, level: x, first: a, second: b };
}

function rows(n: number, k: number): core.Rows {
  const codes = new Uint8Array(n * k); // each stands for itself
  const y = Uint8Array.from({ length: n }, (_, i) => (i * 7) % k);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < k; j++) codes[i * k + j] = 1 + ((i * 31 + j * 17) % 11) + 9 * +(y[i] === j);
  const p = new core.Posteriors(codes, k, Float64Array.from({ length: 256 }, (_, code) => code));
  return { kind: "rows", name: "s", reference: null, n, k, y, weights: null, p };
}

function packed(values: Float64Array | Uint8Array | Uint16Array, type: Packed["type"]): Packed {
  return { type, data: gzipSync(new Uint8Array(values.buffer)).toString("base64") };
}

test("the largest code is 0, not a small number", () => {
  assert.equal(core.codeTable(40, 255)[255], 0);
  assert.equal(core.codeTable(40, 255)[0], 1);
  const p = new core.Posteriors(Uint8Array.of(0, 255, 255), 3, core.codeTable(40, 255));
  assert.deepEqual([...p.values.subarray(p.start(0))], [1, 0, 0]);
});

test("rows are looked up when they are asked for, in any order, once", () => {
  const codes = Uint8Array.of(1, 3, 2, 2, 0, 5);
  const made = () => new core.Posteriors(codes, 2, Float64Array.of(0, 1, 2, 3, 4, 5));
  const [p, whole] = [made(), made()];
  assert.equal(p.start(1), 2);
  assert.deepEqual([...p.values], [0, 0, 0.5, 0.5, 0, 0]);
  for (const row of [2, 0, 1, 2]) p.start(row);
  for (const row of [0, 1, 2]) whole.start(row);
  assert.deepEqual([...p.values], [0.25, 0.75, 0.5, 0.5, 0, 1]);
  assert.deepEqual(p.values, whole.values);
});

test("bytes are the same with and without the browser's own base 64", async () => {
  const values = Uint8Array.from({ length: 1000 }, (_, i) => (i * 97) % 256);
  const text = packed(values, "u8");
  const own = Object.getOwnPropertyDescriptor(Uint8Array, "fromBase64");
  const quick = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
  try {
    Object.defineProperty(Uint8Array, "fromBase64", { value: quick, configurable: true });
    assert.deepEqual(await core.unpack(text), values);
    Reflect.deleteProperty(Uint8Array, "fromBase64");
    assert.deepEqual(await core.unpack(text), values);
  } finally {
    if (own) Object.defineProperty(Uint8Array, "fromBase64", own);
  }
});

test("a sum is rounded once", () => {
  assert.equal(core.fsum([1e100, 1, -1e100]), 1);
  assert.equal(core.fsum([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]), 4.5);
  assert.equal(core.fsum([1e-16, 1, 1e16]), 10000000000000002);
  assert.equal(core.fsum(Array(10).fill(0.1)), 1);
  assert.equal(core.fsum([]), 0);
  assert.equal(core.total(Float64Array.from({ length: 1000 }, () => 0.1)), 100);
});

test("a class without samples leaves the cost unknown, unless its prior is 0", () => {
  const bare = levels([-1, 1], [2, 1], [0, 0]);
  const found = core.judge(bare, two, facts);
  assert.ok(Number.isNaN(found.expected) && found.interval === null);
  assert.match(core.reasonOf(found, two, facts), /no samples/);
  const without = { ...two, costs: [[1, 2], [5, 0]], priors: [1, 0], fromData: false };
  assert.equal(core.judge(bare, without, facts).normalized, 2);
});

test("a sample that is certain of a class with prior 0 leaves the cost unknown", () => {
  const sure = levels([-1, Infinity], [2, 1], [1, 2]);
  const asked = { ...two, priors: [1, 0], fromData: false, adapt: true, costs: [[1, 2], [5, 0]] };
  const found = core.judge(sure, asked, facts);
  assert.ok(Number.isNaN(found.normalized));
  assert.match(core.reasonOf(found, asked, facts), /certain/);
  const rare = { ...facts, dataPriors: [1, 0] };
  assert.ok(Number.isNaN(core.judge(sure, { ...asked, priors: [0.5, 0.5] }, rare).expected));
});

test("a preview looks at the first rows, and at all of a class that they lack", () => {
  const many = rows(1000, 3);
  const asked = { ...two, costs: [[0, 1, 1], [1, 0, 1], [1, 1, 0]], decisions: ["a", "b", "c"] };
  const some = { ...facts, dataPriors: [0.4, 0.3, 0.3], counts: [400, 300, 300] };
  assert.equal(core.judgeRows(many, asked, some, 100).samples, 100);
  const few = core.judgeRows(many, asked, some, 2); // the first rows are of the classes 0 and 1
  const third = many.y.filter((one) => one === 2).length;
  assert.equal(few.samples, 2 + third);
  assert.deepEqual(few.counts.map((row) => core.total(row)), [1, 1, third]);
  assert.deepEqual(few.counts[2], core.judge(many, asked, some).counts[2]);
  const never = { ...asked, priors: [0.6, 0.4, 0], fromData: false };
  assert.equal(core.judgeRows(many, never, some, 2).samples, 2);
  assert.deepEqual(core.judgeRows(many, asked, some, 5000), core.judge(many, asked, some));
});

test("abstaining at many prices is what judging at each of them gives", () => {
  const known = { ...facts, dataPriors: [0.4, 0.3, 0.3], counts: [400, 300, 300] };
  const plain = { ...two, decisions: ["a", "b", "c"] };
  const prices = [0, 0.05, 0.2, 0.3, 0.45, 0.9, 7];
  const weights = Float64Array.from({ length: 300 }, (_, i) => 1 + (i % 4));
  const uneven = [[0, 2, 1], [1, 0.5, 3], [4, 1, 0]];
  for (const costs of [[[0, 1, 1], [2, 0, 2], [1, 1, 0]], uneven])
    for (const asked of [{ ...plain, costs }, { ...plain, costs, priors: [0.6, 0.1, 0.3], fromData: false, adapt: true }])
      for (const system of [rows(300, 3), { ...rows(300, 3), weights }]) {
        const found = core.abstention(system, asked, known, prices, 200);
        const each = prices.map((price) => core.judgeRows(system, core.withPrice(asked, price), known, 200));
        each.forEach((one, i) => {
          assert.ok(Math.abs(found.expected[i] - one.expected) < 1e-12);
          assert.ok(Math.abs(found.share[i] - one.shares[3]) < 1e-12);
          if (prices[i] > 0) assert.ok(Math.abs(found.normalized[i] - one.normalized) < 1e-12);
          else assert.ok(Number.isNaN(found.normalized[i]) && Number.isNaN(one.normalized));
        });
        assert.ok(found.share.some((s) => s > 0.1 && s < 0.9));
      }
});

test("a dense table of one price for each error decides as the short way does", () => {
  const many = rows(500, 4);
  const errors = [1, 2, 3, 4];
  const costs = errors.map((e, i) => [0, 1, 2, 3].map((j) => (i === j ? 0 : e)).concat(0.6));
  const short = core.rulerOf(costs);
  const long = core.rulerOf(costs.map((row) => [...row.slice(1), row[0]])); // columns turned round
  for (let i = 0; i < many.n; i++) {
    const p = many.p.values.subarray(many.p.start(i), 4 * i + 4);
    const [a, b] = [short(p, 0), (long(p, 0) + 1) % 5];
    const cost = (j: number) => core.dot(p, costs.map((r) => r[j]));
    assert.ok(a === b || Math.abs(cost(a) - cost(b)) < 1e-14);
  }
});

test("equal posteriors go to the lowest index", () => {
  const p = Float64Array.of(0.25, 0.25, 0.25, 0.25);
  const zeroOne = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => +(i !== j)));
  assert.equal(core.rulerOf(zeroOne)(p, 0), 0);
  assert.equal(core.rulerOf(zeroOne.map((row) => [...row, 0.75]))(p, 0), 0);
  assert.equal(core.rulerOf(zeroOne.map((row) => [...row, 0.7]))(p, 0), 4);
});

test("curves of many levels are thinned, with the corners of the hull", () => {
  const n = 8000;
  const level = Array.from({ length: n }, (_, i) => (i - n / 2) / 400);
  const one = levels(level, level.map((x, i) => 3 + (i % 5) - x / 5), level.map((x, i) => 3 + (i % 3) + x / 5));
  const found = core.roc(one);
  assert.ok(found.alarms.length <= 600 && found.hullAlarms.length <= 600);
  assert.ok(core.sweep(one, two, facts)!.expected.length <= 601);
  const points = new Set(found.alarms);
  assert.ok(found.hullAlarms.every((x) => points.has(x)));
  assert.deepEqual([found.alarms[0], found.alarms.at(-1)], [1, 0]);
});

test("a problem with more than two decisions has no operating point on the curves", () => {
  const wide = { ...two, costs: [[0, 1, 1], [5, 0, 1]], decisions: ["a", "b", "c"] };
  assert.equal(core.operatingPoint(wide, facts), null);
  assert.equal(core.sweep(levels([0], [1], [1]), wide, facts), null);
  assert.equal(core.operatingPoint({ ...two, costs: [[1, 0], [5, 0]] }, facts), null);
  const free = { ...two, costs: [[0, 0], [5, 0]] };
  assert.equal(core.operatingPoint(free, facts)!.theta, 0);
});

test("what the library found on all scores is taken as it is", () => {
  const one = { ...levels([-1, 1], [3, 1], [1, 3]), reference: [0.5, 0.5] };
  const moved = { ...two, priors: [0.75, 0.25], fromData: false };
  const found = core.leastCost(one, moved, facts, { cost: 0.3, logOdds: 0.2 }, false)!;
  assert.deepEqual([found.cost, found.low, found.error], [0.3, 0.3, 0]);
  assert.equal(found.normalized, 0.3 / 0.75);
  assert.ok(Math.abs(found.logOdds - (0.2 - Math.log(3))) < 1e-12);
  const all = core.leastCost(one, two, facts, { cost: 0.3, logOdds: "-inf" }, false)!;
  assert.equal(all.logOdds, -Infinity);
  const unknown = core.leastCost(one, two, facts, { cost: null, logOdds: 0 })!;
  assert.equal(unknown.cost, core.sweep(one, two, facts)!.best.expected);
});

test("limits are rounded up, and nothing reads as minus zero", () => {
  assert.deepEqual([0.00081, 0.123, 0, 2e-5, 0.5].map(upperLimit), ["0.00081", "0.13", "0", "0.000020", "0.50"]);
  assert.deepEqual([percent(-1e-9), percent(-0.5), number(-0.25), number(-0)], ["0.00 %", "−50.0 %", "−0.2500", "0"]);
});

/** Two ends of a channel within one thread. */
function channel(): [core.Port, core.Port] {
  const ends: [core.Port, core.Port] = [
    { onmessage: null, postMessage: (data) => send(1, data) },
    { onmessage: null, postMessage: (data) => send(0, data) },
  ];
  const send = (to: 0 | 1, data: unknown): void => {
    const copy = structuredClone(data);
    queueMicrotask(() => ends[to].onmessage?.({ data: copy }));
  };
  return ends;
}

const rest = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

function load(): core.Load {
  const y = Uint8Array.of(0, 1, 2, 0);
  const codes = Uint8Array.of(0, 90, 255, 90, 0, 90, 90, 90, 0, 90, 0, 90);
  const system = { name: "s", reference: null, codes: packed(codes, "u8") };
  const sizes = { rows: 4, total: 4, scale: 40, error: 0 };
  const live = { kind: "rows" as const, ...sizes, labels: packed(y, "u8"), weights: null, systems: [system] };
  const known = { dataPriors: [0.5, 0.25, 0.25], counts: [2, 1, 1], quantile: 1.96, noInterval: "" };
  return { ...known, live, classes: ["a", "b", "c"] };
}

test("a page of decisions has no scores to decode", async () => {
  const live = { kind: "decisions" as const, systems: [{ name: "d", counts: [[1, 0], [0, 1]] }] };
  assert.deepEqual(await core.decode({ live, classes: ["a", "b"] }), []);
});

test("the worker answers the newest problem alone", async () => {
  const [page, worker] = channel();
  core.serve(worker);
  const heard: core.Reply[] = [];
  const judge = new core.Judge(page, load(), (reply) => heard.push(reply));
  const costs = [[0, 1, 1], [1, 0, 1], [1, 1, 0]];
  const ask = (price: number) =>
    judge.ask({
      problem: { ...two, costs: costs.map((row) => row.map((c) => c * price)), decisions: ["a", "b", "c"] },
    });
  [1, 2, 3].forEach(ask);
  for (let i = 0; i < 500 && heard.length === 0; i++) await rest(10);
  assert.deepEqual(heard.map((reply) => reply.id), [3]);
  assert.equal(heard[0].outcomes[0].expected, 0.75);
  ask(4);
  judge.forget();
  await rest(100);
  assert.equal(heard.length, 1);
});
