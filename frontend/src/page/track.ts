/** How far along a slider a value is, and back. */

export const STEPS = 1000;

/** A way between values and shares of a slider. */
export interface Track {
  moves?: boolean; // to where the value is, if that is beyond its ends
  share(value: number): number;
  value(share: number): number;
}

/** A track from 0, then by ratios from `low` to `high`. */
export function ratios(low: number, high: number): Track {
  const width = Math.log(high / low);
  return {
    moves: true,
    share: (value) => (value <= 0 ? 0 : 0.02 + 0.98 * (Math.log(value / low) / width)),
    value: (share) =>
      share < 0.01 ? 0 : rounded(low * Math.exp((Math.max(0, share - 0.02) / 0.98) * width)),
  };
}

/** A track of shares by their log odds, from 1 in 10,000 to 9,999. */
export function odds(reach = Math.log(9999)): Track {
  return {
    share: (p) => 0.5 + Math.log(p / (1 - p)) / (2 * reach),
    value: (share) => roundedShare(1 / (1 + Math.exp(-(2 * share - 1) * reach))),
  };
}

/** Return the ends of a track around a value: two decades to either side of it. */
export function around(value: number): Track {
  const middle = 10 ** Math.round(Math.log10(value));
  return ratios(middle / 100, middle * 100);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function roundedShare(p: number): number {
  return p <= 0.5 ? rounded(p) : Number((1 - rounded(1 - p)).toPrecision(12));
}

/** The positions of a slider. A value that was shown stands at its position to the last digit: who goes away and comes back finds it again. */
export class Positions {
  #track: Track;
  readonly #kept = new Map<number, number>();

  constructor(track: Track) {
    this.#track = track;
  }

  /** Return the value at a position. */
  value(position: number): number {
    return this.#kept.get(position) ?? this.#track.value(position / STEPS);
  }

  /** Return the position of a value; `now` if it is the value there. The value keeps it. */
  place(value: number, now: number): number {
    if (this.value(now) === value) return now;
    const share = this.#track.share(value);
    if (this.#track.moves && value > 0 && !(share >= 0 && share <= 1)) this.turn(around(value));
    const inside = Math.max(0, Math.min(1, this.#track.share(value)));
    const position = Math.round(STEPS * inside);
    this.#kept.set(position, value);
    return position;
  }

  /** Return how far along the slider a value is, from 0 to 1. */
  share(value: number): number {
    return Math.max(0, Math.min(1, this.#track.share(value)));
  }

  /** Take another track. */
  turn(track: Track): void {
    this.#track = track;
    this.#kept.clear();
  }
}
