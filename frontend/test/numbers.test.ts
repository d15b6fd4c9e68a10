/** Numbers as people type them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumber } from "../src/core/numbers";

const understood: Record<string, number> = {
  "5": 5,
  "3.5": 3.5,
  "3,5": 3.5,
  "0,5": 0.5,
  ",5": 0.5,
  ".5": 0.5,
  "5.": 5,
  "5,": 5,
  "0,125": 0.125, // no thousands begin with 0
  "00,125": 0.125,
  "1,00": 1,
  "1,0000": 1,
  "1234,567": 1234.567, // groups would have begun earlier
  "1.234": 1.234, // a point is a decimal point, as everywhere on the page
  "1/3": 1 / 3,
  " 1 / 3 ": 1 / 3,
  "1,5/3": 0.5,
  "20 %": 0.2,
  "20%": 0.2,
  "0,5 %": 0.005,
  "1/3 %": 1 / 3 / 100,
  "1e3": 1000,
  "1E-3": 0.001,
  "1,5e+3": 1500,
  "1 000": 1000,
  "1\u00a0000": 1000,
  "12\u202f345\u202f678": 12_345_678,
  "1'000": 1000,
  "1’000,5": 1000.5,
  "1 000,5": 1000.5,
  "1_000": 1000,
  "1,234.5": 1234.5,
  "1.234,5": 1234.5,
  "1,234,567": 1_234_567,
  "1.234.567": 1_234_567,
  "1,234,567.25": 1_234_567.25,
  "-5": -5,
  "−5": -5,
  "– 5": -5,
  "+5": 5,
  "-0": 0,
  "３．５": 3.5,
  "２０％": 0.2,
  "۳٫۵": 3.5,
  "٢٠٪": 0.2,
  "5e-324": 5e-324,
  "1.7976931348623157e308": 1.7976931348623157e308,
};

for (const [text, value] of Object.entries(understood)) {
  test(`“${text}” is ${value}`, () => {
    const reading = readNumber(text);
    assert.ok("value" in reading, "refused" in reading ? reading.refused : "");
    assert.ok(Object.is(reading.value, value), String(reading.value));
  });
}

test("what can be read in two ways shows both", () => {
  const said = (text: string) => {
    const reading = readNumber(text);
    return "refused" in reading ? reading.refused : String(reading.value);
  };
  assert.equal(said("1,000"), "“1,000” could mean 1000 or 1. Write one of these.");
  assert.equal(said("12,345"), "“12,345” could mean 12345 or 12.345. Write one of these.");
  assert.match(said("−1,234"), /−1234 or −1\.234/);
  assert.match(said("1/1,000"), /1000 or 1/);
});

const refused = [
  "", " ", "abc", "3,5x", "x3", "1:3", "1/0", "0/0", "1/2/3", "/3", "1/", "%", "20 % %", "%20", "1 2", "1 00",
  "10 00", "1,23,456", "1,2.3.4", "1.2,3,4", "1,2.3", "1 000'000", "1 000.000.000", "0 000", "--5", "+-5", "5-",
  "1e", "e3", "1e3.5", "1e3,5", "inf", "Infinity", "∞", "NaN", "0x10", "1e999", "1e-400", "1e-300/1e300",
  "10²", "1½", "½", "③", "1;5", "5 €", "$5", ".", ",", "1..5", "1,,5", "²", "١a", "null", "true", "1n",
];

for (const text of refused) {
  test(`“${text}” is refused with a sentence`, () => {
    const reading = readNumber(text);
    assert.ok("refused" in reading, JSON.stringify(reading));
    assert.match(reading.refused, /^.+\.$/);
  });
}

test("numbers come back from all that the page itself writes into fields", () => {
  for (let i = 0; i < 2000; i++) {
    const value = Number((10 ** (((i * 7919) % 2400) / 100 - 12)).toPrecision(1 + (i % 6)));
    assert.deepEqual(readNumber(String(value)), { value });
  }
});

test("a long text is cut in its sentence", () => {
  const reading = readNumber("9x".repeat(1000));
  assert.ok("refused" in reading && reading.refused.length < 120);
});
