/** Holds the live answer to what Python says: tests/golden_answers.py writes the cases. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as core from "../src/core/index";

interface Case {
  setting: core.Setting;
  unit: core.Unit;
  naive: core.Naive;
  standings: core.Standing[];
  answer: core.Part[][];
  decisions: core.Part[][];
  tested: core.Part[][];
  tied: core.Part[][];
  table: [string[], string[][]];
}

const golden = JSON.parse(readFileSync(new URL("../test/golden.json", import.meta.url), "utf8"));

for (const [i, one] of (golden.answers as Case[]).entries()) {
  const { setting, unit, naive, standings } = one;
  test(`answer ${i}`, () => {
    const found = core.answer(setting, standings.slice(0, 2), naive, unit, undefined, "there is no naive cost");
    assert.deepEqual(found, one.answer);
    const decided = core.answer(setting, standings.slice(2, 3), naive, unit, "these decisions");
    assert.deepEqual(decided, one.decisions);
  });

  test(`comparison ${i}`, () => {
    const best = [core.inOrder(standings)[0].name];
    const few = { standings: standings.slice(0, 2), best: null };
    assert.deepEqual(core.compared(setting, { standings, best }, naive, unit, few), one.tested);
    const all = standings.map((x) => x.name);
    assert.deepEqual(core.compared(setting, { standings, best: all }, naive, unit), one.tied);
  });

  test(`per 1,000 cases ${i}`, () => {
    const { heads, rows } = core.perThousand(setting, standings, naive, unit, 1.959963984540054);
    assert.deepEqual([heads, rows], one.table);
  });
}

test("amounts", () => {
  for (const [value, band, text] of golden.amounts)
    assert.equal(core.amount(value, core.decimalsOf(value, band)), text, String(value));
});
