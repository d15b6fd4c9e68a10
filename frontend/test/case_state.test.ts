/** Costs by case as text: whole trips, and texts that are refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { caseFragment, type CaseProblem, fromCaseFragment, type KnownCases } from "../src/core/index";

const known: KnownCases = {
  name: "cost & more = #1",
  cells: [[0, 3], [{ amounts: 0 }, 0]],
  dataPriors: [0.9, 0.1],
  scores: "posteriors",
};
const own: CaseProblem = {
  cells: known.cells,
  multiplier: 1,
  priors: known.dataPriors,
  fromData: true,
  adapt: false,
  cap: null,
};

for (const change of [{}, { multiplier: 0.1 + 0.2 }, { cap: 0 }, { cap: 0.02, adapt: true }, { priors: [0.3, 0.7], fromData: false }, { cells: [[1, 5e-324], [{ amounts: 0 }, 1e21]] }])
  test(`a problem survives the trip: ${JSON.stringify(change)}`, () => {
    const problem = { ...own, ...change };
    assert.deepEqual(fromCaseFragment(`#${caseFragment(problem, known)}`, known), { application: 0, problem });
  });

const good = caseFragment({ ...own, cap: 0.5 }, known);
for (const [what, text] of [
  ["another version", good.replace("v=2", "v=3")],
  ["another application", good.replace("cost", "coast")],
  ["decisions", `${good}&d=1,0`],
  ["a part twice", `${good}&cap=0.1`],
  ["a cost for an amount", good.replace("*", "7")],
  ["an amount for a cost", good.replace("0,3", "0,*")],
  ["a row too few", good.replace(/;[^&]*/, "")],
  ["a cap above 1", good.replace("cap=0.5", "cap=1.5")],
  ["no multiplier", good.replace("m=1&", "")],
  ["a negative multiplier", good.replace("m=1", "m=-1")],
  ["priors that do not sum to 1", `${good}&p=0.5,0.6`],
] as const)
  test(`a link is refused: ${what}`, () => {
    const found = fromCaseFragment(text, known);
    assert.ok(found !== null && "refused" in found, JSON.stringify(found));
  });

test("a text about something else is none", () => assert.equal(fromCaseFragment("#pictures", known), null));
