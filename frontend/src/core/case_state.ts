/** The reader's numbers for costs by case as text for the fragment of an address, and back. */
import type { CasesData, Payload } from "../types";
import type { CaseProblem } from "./cases";
import { decoded, isShare, numbersOf, partsOf, type Read, VERSION } from "./state";
import { wellFormed } from "./toml";

const PARTS = ["v", "on", "m", "c", "p", "a", "cap"];
const AMOUNT = "*"; // the place of a cost that is the amount of each case

/** What a page has to know to read a fragment. */
export type KnownCases = Pick<CasesData, "name" | "cells"> & Pick<Payload, "dataPriors" | "scores">;

/** Return a problem as text, such as v=2&on=cost&m=2&c=0,3;*,0&p=0.9,0.1&a=1&cap=0.02. */
export function caseFragment(problem: CaseProblem, { name }: Pick<CasesData, "name">): string {
  const { cells, multiplier, priors, fromData, adapt, cap } = problem;
  const row = (some: CaseProblem["cells"][number]) =>
    some.map((cell) => (typeof cell === "number" ? cell : AMOUNT)).join(",");
  const parts = [
    `v=${VERSION}`,
    `on=${encodeURIComponent(wellFormed(name))}`,
    `m=${multiplier}`,
    `c=${cells.map(row).join(";")}`,
  ];
  if (!fromData) parts.push(`p=${priors.join(",")}`);
  if (adapt) parts.push("a=1");
  if (cap !== null) parts.push(`cap=${cap}`);
  return parts.join("&");
}

/** Return the choice that a text holds, or why it is not taken. */
export function fromCaseFragment(text: string, known: KnownCases): Read<CaseProblem> {
  const plain = text.replace(/^#/, "");
  if (!/^v=/.test(plain)) return null;
  const parts = partsOf(plain, PARTS);
  if (parts === null) return { refused: "it is too long or has unknown parts" };
  if (parts.get("v") !== VERSION) return { refused: "it was made by another version of stakes" };
  if (decoded(parts.get("on") ?? "") !== wellFormed(known.name))
    return { refused: "this report has no application of that name" };
  const cells = cellsOf(parts.get("c") ?? "", known.cells);
  if (cells === null) return { refused: "its costs do not fit those of this report" };
  const [multiplier, cap] = ["m", "cap"].map((key) => numbersOf(parts.get(key) ?? "none"));
  if (multiplier?.length !== 1) return { refused: "it lacks the multiplier of the amounts" };
  if (parts.has("cap") && !(cap?.length === 1 && cap[0] <= 1)) return { refused: "its cap is not a share" };
  const given = parts.get("p");
  const priors = given === undefined ? known.dataPriors : numbersOf(given);
  if (priors === null || !isShare(priors, known.dataPriors.length))
    return { refused: "its priors do not fit the classes of this report" };
  const adapt = parts.get("a") ?? "0";
  if (!/^[01]$/.test(adapt) || (adapt === "1" && known.scores !== "posteriors"))
    return { refused: "the scores of this report are not adapted in that way" };
  const problem = {
    cells,
    multiplier: multiplier[0],
    priors,
    fromData: given === undefined,
    adapt: adapt === "1",
    cap: cap ? cap[0] : null,
  };
  return { application: 0, problem };
}

/** Return the costs of a text where amounts have the places that they have in the report; else null. */
function cellsOf(text: string, own: CaseProblem["cells"]): CaseProblem["cells"] | null {
  const rows = text.split(";").map((row) => row.split(","));
  if (rows.length !== own.length || rows.some((row, i) => row.length !== own[i].length)) return null;
  const cells: CaseProblem["cells"] = [];
  for (const [i, row] of rows.entries()) {
    const read = row.map((part, j) => {
      const cell = own[i][j];
      if (typeof cell !== "number") return part === AMOUNT ? cell : null;
      return numbersOf(part)?.[0] ?? null;
    });
    if (read.includes(null)) return null;
    cells.push(read as CaseProblem["cells"][number]);
  }
  return cells;
}
