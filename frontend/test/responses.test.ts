/** Holds responses to what the library finds (tests/golden_responses.py), and to laws. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as core from "../src/core/responses";
import * as words from "../src/page/response_answer";
import golden from "./golden_responses.json";

type Data = Parameters<typeof core.decodeResponses>[0]["systems"][number];
type Number = number | "inf" | null;

const close = (found: number, wanted: number, what: string) =>
  assert.ok(Math.abs(found - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted)), `${what}: ${found}, not ${wanted}`);
const value = (one: Number) => (one === "inf" ? Infinity : one);

async function decoded(data: unknown): Promise<core.ResponseSystem> {
  const systems = [data as Data];
  return (await core.decodeResponses({ target: 0.5, systems, best: null, slices: [] }))[0];
}

for (const one of golden.rules) {
  test(`rules at every target: ${one.name}`, async () => {
    const system = await decoded(one.data);
    for (const { t, rules, always, best } of one.at) {
      for (const name of core.RULES) {
        const wanted = rules[name];
        const found = core.ruleAt(system, name, t);
        assert.equal(found === null, wanted === null);
        if (!found || !wanted) continue;
        close(found.utility, wanted.utility, `${name} at ${t}`);
        close(found.right, wanted.right, `${name} right at ${t}`);
        close(found.right + found.wrong, wanted.answered, `${name} answered at ${t}`);
        if (one.exact) assert.equal(found.threshold, value(wanted.threshold as Number), `${name} at ${t}`);
      }
      close(core.alwaysAt(system, t).utility, always, `always at ${t}`);
      if (!best) continue;
      const hindsight = core.bestAt(system, t)!;
      close(hindsight.utility, best[0] as number, `best at ${t}`);
      close(hindsight.right + hindsight.wrong, best[1] as number, `best answered at ${t}`);
      assert.equal(hindsight.threshold, value(best[2] as Number), `best threshold at ${t}`);
    }
  });

  test(`risk over coverage: ${one.name}`, async () => {
    const { coverage, risk } = core.riskCoverage(await decoded(one.data));
    if (one.risk === null) return;
    const wanted = one.risk.slice(-risk.length); // Python's curve may begin with nothing answered
    risk.forEach((each, k) => close(each, wanted[k], `risk ${k}`));
    coverage.forEach((each, k) => assert.ok(k === 0 || each > coverage[k - 1]));
  });
}

const outcome = (rule: { threshold: Number } | null) => rule && { ...rule, threshold: value(rule.threshold) };
const standing = (one: Record<string, unknown>) =>
  ({ ...one, own: outcome(one.own as never), calibrated: outcome(one.calibrated as never) }) as never as words.ResponseStanding;

test("sentences are those of the library", () => {
  for (const { standing: data, answer, meaning, field, breakEven, thousand } of golden.words) {
    const one = standing(data);
    assert.deepEqual(words.responseAnswer(one), answer);
    assert.equal(words.meaning(data.target), meaning);
    assert.equal(words.targetText(data.target), field);
    assert.equal(words.breakEven(one.own), breakEven);
    assert.deepEqual(words.thousandQuestions(one.own), thousand);
  }
});

test("sentences on several systems are those of the library", () => {
  for (const { systems, best, answer } of golden.compared) {
    const named = systems.map(([name, one]): [string, words.ResponseStanding] => [name as string, standing(one as never)]);
    assert.deepEqual(words.comparedResponses(named, best), answer);
  }
});

test("no rule of this form scores more than the best threshold in hindsight", async () => {
  const system = await decoded(golden.rules[0].data);
  for (let t = 0; t < 1; t += 0.01) {
    const best = core.bestAt(system, t)!.utility;
    assert.ok(best >= core.ruleAt(system, "stated", t)!.utility - 1e-12);
    assert.ok(best >= 0);
  }
});

test("who scores most changes where two systems cross", async () => {
  const base = (await decoded(golden.rules[0].data)) as core.ResponseSystem;
  const bold = { ...base, right: 70, wrong: 30, total: 100 };
  const humble = { ...base, right: 60, wrong: 10, total: 100 };
  const ranges = core.bestRanges([bold, humble]);
  assert.deepEqual(ranges.map(({ system }) => system), [0, 1, null]);
  close(ranges[0].to, 1 / 3, "70 - 30 s = 60 - 10 s at s = 1/2");
  close(ranges[1].to, 6 / 7, "60 = 10 s at s = 6");
  assert.deepEqual([ranges[0].from, ranges[2].to], [0, 1]);
});

test("a link holds a target and nothing else", () => {
  for (const t of [0, 0.5, 0.75, 1 / 3, 1e-7, 0.999])
    assert.deepEqual(core.fromTargetFragment(`#${core.targetFragment(t)}`), { application: 0, problem: t });
  assert.equal(core.fromTargetFragment("#numbers"), null);
  for (const bad of ["#v=2", "#v=2&t=1", "#v=2&t=-0.1", "#v=2&t=0x1", "#v=3&t=0.5", "#v=2&t=0.5&on=a", "#v=2&t=1.5e-1e", "#v=2&t=<b>"])
    assert.ok("refused" in (core.fromTargetFragment(bad) as object), bad);
});

test("a stated level that is the target but for rounding is answered", () => {
  assert.ok(core.answers(0.7, 0.7));
  assert.ok(core.answers(0.1 + 0.2, 0.3));
  assert.ok(core.answers(0.3, 0.1 + 0.2));
  assert.ok(!core.answers(0.6999, 0.7));
});
