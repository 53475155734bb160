import { median } from "../setup/median.ts";
import type { Row } from "./measure.ts";
import { roundFigure } from "./round_figure.ts";

/** A figure of ours that has to stay below a limit, or has none. */
export interface Limited {
  work: string;
  against?: string;
  figures: number[];
  show(figure: number): string;
  max?: number;
  /** The aim as text, where `show(max)` says it clumsily. */
  aim?: string;
}

/** A row that sets our median against a limit. */
export function limitRow({ work, against = "-", figures, show, max, aim }: Limited): Row {
  const mine = median(figures);
  return {
    work,
    against,
    ours: show(mine),
    theirs: "-",
    ...(max !== undefined && { aim: aim ?? `≤ ${show(max)}`, met: mine <= max }),
    rounds: { ours: figures.map(roundFigure), theirs: [] },
  };
}
