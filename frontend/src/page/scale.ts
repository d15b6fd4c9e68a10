/** Scales and ticks of an axis. */
import { number } from "./text";

/** Return a value, or the nearest within bounds. */
export function within(low: number, high: number, value: number): number {
  return Math.max(low, Math.min(high, value));
}

export interface Scale {
  low: number;
  high: number;
  /** Share of the way from low to high. */
  share(value: number): number;
  value(share: number): number;
  ticks(most: number): { at: number; text: string }[];
}

/** Return a scale on which equal steps are equal distances. */
export function linear(low: number, high: number, format?: (value: number) => string): Scale {
  const width = high - low || 1;
  return {
    low,
    high,
    share: (value) => (value - low) / width,
    value: (share) => low + share * width,
    ticks: (most) => linearTicks(low, high, most, format),
  };
}

/** Return a scale on which equal ratios are equal distances. */
export function logarithmic(low: number, high: number): Scale {
  const [a, b] = [Math.log(low), Math.log(high)];
  return {
    low,
    high,
    share: (value) => (Math.log(value) - a) / (b - a || 1),
    value: (share) => Math.exp(a + share * (b - a)),
    ticks: (most) => decades(low, high, most),
  };
}

function linearTicks(low: number, high: number, most: number, format?: (value: number) => string) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((width) => width >= rough * 0.999) ?? 10 * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (String(step / power).includes(".") ? 1 : 0));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) {
    const at = i * step;
    ticks.push({ at, text: format ? format(at) : fixed(at, decimals) });
  }
  return ticks;
}

function fixed(value: number, decimals: number): string {
  if (Math.abs(value) >= 1e6 || decimals > 5) return value === 0 ? "0" : number(value, 3);
  return (Math.abs(value) < 1e-12 ? 0 : value).toFixed(Math.min(decimals, 6)).replace(/^-/, "−");
}

function decades(low: number, high: number, most: number) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, most)));
  const ticks = [];
  for (let power = first; power <= last; power += every) ticks.push({ at: 10 ** power, text: short(10 ** power) });
  return ticks.length >= 2 ? ticks : [low, high].map((at) => ({ at, text: short(at) }));
}

function short(value: number): string {
  return value >= 1e-4 && value < 1e6 ? String(Number(value.toPrecision(3))) : number(value, 2);
}
