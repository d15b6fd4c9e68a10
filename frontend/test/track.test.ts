/** A slider: there and back again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { around, odds, Positions, STEPS, type Track } from "../src/page/track";

/** Values between the ends of a track, as people type them. */
function typed(low: number, high: number): number[] {
  const values: number[] = [];
  for (let i = 0; i < 500; i++) values.push(Number((low * (high / low) ** (i / 500)).toPrecision(1 + (i % 5))));
  return values;
}

const cases: [string, Track, number[]][] = [
  ["costs", around(5), [5, ...typed(0.12, 900)]],
  ["large costs", around(12_345), [12_345, ...typed(110, 900_000)]],
  ["shares", odds(), [0.5, 0.37, 0.9995, ...typed(0.0003, 0.99)]],
];

for (const [name, track, values] of cases) {
  test(`arrow right, then left, comes back: ${name}`, () => {
    for (const value of values) {
      const positions = new Positions(track);
      const home = positions.place(value, 0);
      assert.equal(positions.value(home), value);
      for (const way of [1, -1]) {
        let at = home;
        for (let step = 0; step < 3; step++) at = moved(positions, at, way);
        for (let step = 0; step < 3; step++) at = moved(positions, at, -way);
        assert.equal(positions.value(at), value);
      }
    }
  });

  test(`no position holds the slider fast: ${name}`, () => {
    const positions = new Positions(track);
    for (let at = 0; at < STEPS; at++) assert.equal(moved(positions, at, 1), at + 1);
  });
}

test("a slider leaves its ends for a value beyond them", () => {
  const positions = new Positions(around(1));
  assert.equal(positions.value(positions.place(5000, 0)), 5000);
});

/** Press an arrow key: the value of the next position is shown again, as the page does. */
function moved(positions: Positions, from: number, way: number): number {
  const at = Math.max(0, Math.min(STEPS, from + way));
  return positions.place(positions.value(at), at);
}
