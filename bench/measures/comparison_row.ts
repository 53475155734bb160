import { median } from "../setup/median.ts";
import type { Row } from "./measure.ts";
import { roundFigure } from "./round_figure.ts";

/** What two have done in turns, a figure a round each. */
export interface Comparison {
  work: string;
  against: string;
  ours: number[];
  theirs: number[];
  /** Turns a figure into text with its unit. */
  show(figure: number): string;
  /** What the ratio must be at least, or at most; without either the row has no aim. */
  least?: number;
  most?: number;
}

/** A row that sets our median against somebody else's. */
export function comparisonRow({ work, against, ours, theirs, show, least, most }: Comparison): Row {
  const [mine, other] = [median(ours), median(theirs)];
  const ratio = mine / other;
  return {
    work,
    against,
    ours: show(mine),
    theirs: show(other),
    ratio,
    ...(least !== undefined && { aim: `≥ ${least}`, met: ratio >= least }),
    ...(most !== undefined && { aim: `≤ ${most}`, met: ratio <= most }),
    rounds: { ours: ours.map(roundFigure), theirs: theirs.map(roundFigure) },
  };
}
