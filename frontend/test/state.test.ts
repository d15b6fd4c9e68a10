/** The state of a page as text: whole trips, and texts that are none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFragment, toFragment } from "../src/core/state";
import type { Problem } from "../src/types";

const shares = [0.7, 0.3];
const plain: Problem = {
  costs: [[0, 1, 0.1 + 0.2], [5e-324, 1.7976931348623157e308, 1e21]],
  decisions: ["no", "yes, sir & madam; 100 % = #1", "漢字 🙂"],
  priors: [0.9, 0.1],
  fromData: false,
  adapt: true,
};

test("a problem comes back the same, bit for bit", () => {
  assert.deepEqual(fromFragment(toFragment(plain), shares), plain);
  assert.deepEqual(fromFragment(`#${toFragment(plain)}`, shares), plain);
  const data = { ...plain, fromData: true, priors: shares, adapt: false };
  assert.deepEqual(fromFragment(toFragment(data), shares), data);
});

test("it is fit for an address", () => {
  assert.match(toFragment(plain), /^[\w.,;=&%+*'()!~-]*$/);
  assert.ok(toFragment({ ...plain, decisions: ["\ud800", "b", "c"] }).includes("%EF%BF%BD"));
});

const good = "v=1&c=0,1;5,0&d=no,yes&p=0.9,0.1";

test("the plain text is read", () => assert.notEqual(fromFragment(good, shares), null));

const zeros = Array(300).fill(0).join();

const garbage = {
  empty: "",
  words: "section-2",
  "another version": good.replace("v=1", "v=2"),
  "no version": good.replace("v=1&", ""),
  "no costs": "v=1&d=no,yes&p=0.9,0.1",
  "one part twice": `${good}&v=1`,
  "an unknown part": `${good}&x=1`,
  "a negative cost": good.replace("5,0", "-5,0"),
  "an infinite cost": good.replace("5,0", "Infinity,0"),
  "a cost that overflows": good.replace("5,0", "1e999,0"),
  "NaN": good.replace("5,0", "NaN,0"),
  "hexadecimal": good.replace("5,0", "0x5,0"),
  "an empty cost": good.replace("5,0", ",0"),
  "a ragged table": good.replace("5,0", "5,0,1"),
  "too few rows": good.replace(";5,0", ""),
  "too many rows": good.replace("5,0", "5,0;5,0"),
  "too few names": good.replace("no,yes", "no"),
  "an empty name": good.replace("no,yes", "no,"),
  "a name twice": good.replace("no,yes", "no,no"),
  "a bidi control": good.replace("no,yes", "no,%E2%80%AEyes"),
  "a line feed": good.replace("no,yes", "no,%0Ayes"),
  "no UTF-8": good.replace("no,yes", "no,%FF"),
  "too many decisions": `v=1&c=${zeros};${zeros}&d=${Array.from({ length: 300 }, (_, i) => i)}`,
  "priors that do not sum to 1": good.replace("0.9,0.1", "0.9,0.2"),
  "too many priors": good.replace("0.9,0.1", "0.5,0.4,0.1"),
  "a negative prior": good.replace("0.9,0.1", "1.1,-0.1"),
  "an odd switch": `${good}&a=2`,
  "a very long text": good.replace("yes", "y".repeat(100_000)),
};

for (const [name, text] of Object.entries(garbage)) {
  test(`${name} is no problem`, () => assert.equal(fromFragment(text, shares), null));
}
