/** The state of a page as text: whole trips, texts that hold none, and names that no text can change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choice, fromFragment, type Known, toFragment } from "../src/core/state";
import { problemOf, withAbstention, withCost } from "../src/page/edits";
import type { ApplicationData, Problem } from "../src/types";

const shares = [0.7, 0.3];
const odd = ["no", "yes, sir & madam; 100 % = #1", "漢字 🙂"];

function application(name: string, decisions: string[], costs: number[][]): ApplicationData {
  const none = decisions.map(() => null);
  const data = { priors: shares, fromData: true, necs: none, codes: [], least: none, own: none };
  return { name, costs, decisions, ...data };
}

const known: Known = {
  dataPriors: shares,
  scores: "posteriors",
  applications: [
    application("cost", ["no", "yes"], [[0, 1], [5, 0]]),
    application("second & last = #2", ["no", "yes"], [[0, 1], [1, 0]]),
    application("odd", odd, [[0, 1, 2], [5, 0, 2]]),
    application("review", ["no", "ask", "yes"], [[0, 0.5, 1], [5, 0.5, 0]]),
  ],
};
const plain: Problem = {
  costs: [[0, 1, 0.1 + 0.2], [5e-324, 1.7976931348623157e308, 1e21]],
  decisions: odd,
  priors: [0.9, 0.1],
  fromData: false,
  adapt: true,
};

function trip(problem: Problem, on: number): Choice {
  const text = toFragment(problem, known.applications[on]);
  const found = fromFragment(`#${text}`, known);
  assert.deepEqual(fromFragment(text, known), found);
  assert.ok(found !== null && "problem" in found, JSON.stringify(found));
  return found;
}

test("a problem comes back the same, bit for bit, on its own application", () => {
  assert.deepEqual(trip(plain, 2), { application: 2, problem: plain });
  const data = { ...plain, fromData: true, priors: shares, adapt: false };
  assert.deepEqual(trip(data, 2), { application: 2, problem: data });
  known.applications.forEach((one, on) => {
    const changed = withCost(problemOf(one), 1, 0, 7);
    assert.deepEqual(trip(changed, on), { application: on, problem: changed });
  });
});

test("abstaining that was added or taken away comes back", () => {
  const own = (on: number) => problemOf(known.applications[on]);
  const added = withAbstention(own(0), 0.5, own(0).decisions);
  assert.deepEqual(trip(added, 0).problem, added);
  const twice = withAbstention(withCost(added, 0, 2, 0.7), 0.5, own(0).decisions);
  assert.deepEqual(twice.decisions, ["no", "yes", "abstain", "abstain 2"]);
  assert.deepEqual(trip(twice, 0).problem, twice);
  const without = withAbstention(own(3), null, own(3).decisions);
  assert.deepEqual(without.decisions, ["no", "yes"]);
  assert.deepEqual(trip(without, 3).problem, without);
  const again = withAbstention(without, 0.5, own(3).decisions);
  assert.deepEqual(again, own(3));
});

test("it is fit for an address", () => {
  assert.match(toFragment(plain, known.applications[2]), /^[\w.,;=&%+*'()!~-]*$/);
  const lone = { ...known.applications[0], name: "\ud800" };
  assert.ok(toFragment(plain, lone).includes("%EF%BF%BD"));
});

test("no link names decisions", () => {
  const swapped = fromFragment("#v=1&c=0,1;5,0&d=yes,no", known);
  assert.ok(swapped !== null && "refused" in swapped, JSON.stringify(swapped));
  for (const d of ["yes,no", "1,0", "0,0", "0,x", "0,99", "2,0", "", "-1,0"]) {
    const found = fromFragment(`#v=2&on=cost&c=0,1;5,0&d=${d}`, known);
    assert.ok(found !== null && "refused" in found, `${d} ${JSON.stringify(found)}`);
  }
});

test("a link of version 1 is followed where its decisions are those of the page", () => {
  const found = fromFragment("#v=1&c=0,1;7,0&d=no,yes&p=0.9,0.1&a=1", known) as Choice;
  assert.equal(found.application, 0);
  assert.deepEqual(found.problem.costs, [[0, 1], [7, 0]]);
  assert.deepEqual(found.problem.priors, [0.9, 0.1]);
  assert.equal((fromFragment("#v=1&c=0,1;1,0&d=no,yes", known) as Choice).application, 1);
  const free = fromFragment("#v=1&c=0,1,0.2;5,0,0.2&d=no,yes,abstain", known) as Choice;
  assert.deepEqual(free.problem.decisions, ["no", "yes", "abstain"]);
  const named = fromFragment("#v=1&c=0,1,0.2;5,0,0.2&d=no,yes,all+is+well", known);
  assert.ok(named !== null && "refused" in named);
});

test("places of sections are no links", () => {
  for (const text of ["", "#", "#numbers", "section-2", "#c=0"])
    assert.equal(fromFragment(text, known), null);
});

const good = "v=2&on=cost&c=0,1;5,0&d=0,1&p=0.9,0.1";

test("the plain text is read", () => assert.ok("problem" in fromFragment(good, known)!));

const zeros = Array(300).fill(0).join();

const garbage = {
  "another version": good.replace("v=2", "v=3"),
  "no costs": good.replace("c=0,1;5,0&", ""),
  "no application": good.replace("on=cost&", ""),
  "an unknown application": good.replace("on=cost", "on=other"),
  "an application that is no UTF-8": good.replace("on=cost", "on=%FF"),
  "one part twice": `${good}&v=2`,
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
  "too few decisions": good.replace("d=0,1", "d=0"),
  "too many decisions": `v=2&on=cost&c=${zeros};${zeros}&d=${Array.from({ length: 300 }, (_, i) => i)}`,
  "priors that do not sum to 1": good.replace("0.9,0.1", "0.9,0.2"),
  "too many priors": good.replace("0.9,0.1", "0.5,0.4,0.1"),
  "a negative prior": good.replace("0.9,0.1", "1.1,-0.1"),
  "an odd switch": `${good}&a=2`,
  "a very long text": good.replace("cost", "y".repeat(100_000)),
};

for (const [name, text] of Object.entries(garbage)) {
  test(`${name} is refused`, () => {
    const found = fromFragment(text, known);
    assert.ok(found !== null && "refused" in found, JSON.stringify(found));
  });
}

test("scores that follow priors of themselves are not adapted by a link", () => {
  const found = fromFragment(`${good}&a=1`, { ...known, scores: "likelihoods" });
  assert.ok(found !== null && "refused" in found);
});
