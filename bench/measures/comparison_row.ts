import { median } from "../setup/median.ts";
import type { Row } from "./measure.ts";
import { roundFigure } from "./round_figure.ts";

/** The figures of two contestants that took turns, one per round each. */
export interface Comparison {
  work: string;
  against: string;
  ours: number[];
  theirs: number[];
  /** Turns a figure into text with its unit. */
  show(figure: number): string;
  /** The least or the greatest ratio aimed at; without either the row has no aim. */
  min?: number;
  max?: number;
}

/** A row that sets our median against another project's. */
export function comparisonRow({ work, against, ours, theirs, show, min, max }: Comparison): Row {
  const [mine, other] = [median(ours), median(theirs)];
  const ratio = mine / other;
  return {
    work,
    against,
    ours: show(mine),
    theirs: show(other),
    ratio,
    ...(min !== undefined && { aim: `≥ ${min}`, met: ratio >= min }),
    ...(max !== undefined && { aim: `≤ ${max}`, met: ratio <= max }),
    rounds: { ours: ours.map(roundFigure), theirs: theirs.map(roundFigure) },
  };
}
