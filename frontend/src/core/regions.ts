/** Which decision is taken for which posterior of two classes. */

/** The decision taken from one posterior of the second class to another. */
export interface Region {
  from: number;
  to: number;
  decision: number;
}

/**
 * Return the regions of P(H2), from 0 to 1: the lower envelope of the expected costs.
 *
 * The expected cost of a decision is a line over P(H2). Where lines meet, the lowest index wins;
 * a decision that is best in a single point alone has no region.
 */
export function regions(costs: number[][]): Region[] {
  const [first] = costs;
  const found: Region[] = [];
  let at = 0;
  let decision = first.indexOf(Math.min(...first)); // perhaps only there: it is left at once then
  while (at < 1) {
    const next = nextCrossing(costs, decision, at);
    if (next.to > at) found.push({ from: at, to: next.to, decision });
    if (next.to >= 1) break;
    at = next.to;
    decision = next.decision;
  }
  return found;
}

/** Return where a line of smaller slope first meets that of a decision, and which one. */
function nextCrossing(
  costs: number[][],
  decision: number,
  at: number,
): { to: number; decision: number } {
  const [first, second] = costs;
  const slope = (j: number) => second[j] - first[j];
  let to = Infinity;
  let next = decision;
  for (let j = 0; j < first.length; j++) {
    const fall = slope(decision) - slope(j);
    if (!(fall > 0)) continue;
    const x = Math.max((first[j] - first[decision]) / fall, at);
    if (x < to || (x === to && slope(j) < slope(next))) [to, next] = [x, j];
  }
  return { to: Math.min(to, 1), decision: next };
}
