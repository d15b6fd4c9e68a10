/** Changes of the problem, and the file that it is saved as. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcome } from "../src/core/judge";
import { applicationFiles } from "../src/core/toml";
import { nearEnds } from "./ends";
import type { Problem } from "../src/types";

const facts = { dataPriors: [0.7, 0.3], quantile: 1.96, noInterval: "", counts: [7, 3] };
const plain: Problem = {
  costs: [[0, 1], [5, 0]],
  decisions: ["no", "yes"],
  priors: [0.7, 0.3],
  fromData: true,
  adapt: false,
};

test("names in a file hide nothing", () => {
  const names = ["a\u202eb\x7f", "c\u{e0001}\u2028\ud800"];
  const about = { classes: names, names, scores: "posteriors" as const, reference: null };
  const [{ text }] = applicationFiles({ ...plain, decisions: names }, about);
  assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/u);
  assert.ok(text.includes('"a\\u202eb\\u007f", "c\\U000e0001\\u2028\ufffd"'), text);
});

test("costs of any size have their intervals", () => {
  const counted = { counts: [[4, 3], [1, 2]], impossible: 0, samples: 10 };
  const at = (unit: number) => outcome(counted, { ...plain, costs: [[0, unit], [2 * unit, 0]] }, facts);
  const [found, wanted] = [at(1e300), at(1)];
  nearEnds(found.interval, wanted.interval, "interval");
  nearEnds(found.costInterval, wanted.costInterval!.map((end) => 1e300 * end), "interval of the cost");
});
