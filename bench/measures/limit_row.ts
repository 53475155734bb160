import { median } from "../setup/median.ts";
import type { Row } from "./measure.ts";
import { roundFigure } from "./round_figure.ts";

/** A figure of ours that has to stay below a limit, or has none. */
export interface Limited {
  work: string;
  against?: string;
  figures: number[];
  show(figure: number): string;
  most?: number;
  /** The aim as text, where `show(most)` says it clumsily. */
  aim?: string;
}

/** A row that sets our median against a limit. */
export function limitRow({ work, against = "-", figures, show, most, aim }: Limited): Row {
  const mine = median(figures);
  return {
    work,
    against,
    ours: show(mine),
    theirs: "-",
    ...(most !== undefined && { aim: aim ?? `≤ ${show(most)}`, met: mine <= most }),
    rounds: { ours: figures.map(roundFigure), theirs: [] },
  };
}
