/** What all pages have in common: where the live part goes, and pictures that no cost changes. */
import type { Payload } from "../types";
import { Pristine } from "./copy";
import { h } from "./dom";
import { Figure } from "./figure";
import { forest, OddsStrip } from "./forest";

/** The places of a page, and what it was made from. */
export interface Frame {
  payload: Payload;
  live: HTMLElement;
  pictures: HTMLElement;
  pristine: Pristine;
}

/** Fill the page: its live part, then the pictures of a comparison. */
export async function fill(begin: (frame: Frame, shown: Compared) => Promise<void>): Promise<void> {
  const payload = JSON.parse(
    document.getElementById("stakes-data")?.textContent ?? "null",
  ) as Payload | null;
  const live = document.getElementById("live");
  const pictures = document.getElementById("pictures");
  if (!payload || !live || !pictures) return;
  const shown = compared(payload, payload.live?.systems.map((system) => system.name) ?? []);
  await begin({ payload, live, pictures, pristine: new Pristine() }, shown);
  const box = pictures.querySelector(".figures") ?? pictures.appendChild(h("div.figures"));
  const first = payload.kind === "comparison" ? (box.firstChild?.nextSibling ?? null) : null;
  for (const figure of shown.figures) box.insertBefore(figure.element, first);
}

/** Say why the live part does not run. */
export function failed(error: unknown): void {
  document.getElementById("live")?.append(`The interactive part cannot run in this browser: ${error}`);
}

/** Pictures of a comparison that no cost changes. */
export interface Compared {
  figures: Figure[];
  strip: OddsStrip | null;
}

/** Return the pictures of a comparison that no cost changes. */
function compared(payload: Payload, names: string[]): Compared {
  const others = payload.differences.map((one) => one.system);
  const first = payload.odds
    .map((one) => one.system)
    .filter((name): name is string => name !== null && !others.includes(name));
  const tones = new Map([...new Set([...names, ...first, ...others])].map((name, i) => [name, i]));
  const figures: Figure[] = [];
  const differences = forest(payload, tones);
  if (differences) {
    const note =
      "Differences at the settings of the report, with intervals. Filled marks: distinguishable from the reference.";
    figures.push(new Figure("Differences", differences, () => {}, { note, wide: true }));
  }
  const strip = payload.odds.length > 0 ? new OddsStrip(payload.odds, tones) : null;
  if (strip) {
    const note =
      "Odds: cost × prior of a false alarm, divided by cost × prior of a miss. A system is named where it is distinguishable from all others, simultaneously over the whole range. Beyond the ends no threshold was observed.";
    figures.push(
      new Figure("Which system costs least at which odds", strip.element, () => {}, { note, wide: true }),
    );
  }
  return { figures, strip };
}
