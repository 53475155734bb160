import type { DatabaseServer } from "../setup/database_server.ts";

/** One line of the table. */
export interface Row {
  work: string;
  /** A peer, a limit, or the same work under other circumstances. */
  against: string;
  /** Absent where the figure is there for comparison only; so is `met`. */
  aim?: string;
  ours: string;
  /** `-` where the aim is a figure and no other project does the work. */
  theirs: string;
  /** Absent where there is no other project's figure. */
  ratio?: number;
  met?: boolean;
  /** The figure of each round; the figures above are their medians. */
  rounds?: { ours: number[]; theirs: number[] };
}

/** The tools that every measure works with. */
export interface Bench {
  server: DatabaseServer;
  /** Gone after the run. */
  folder: string;
  /** A tenth of the work. */
  quick: boolean;
  rounds: number;
  /** Reports progress and, where it is known, which share of the measure is done. */
  report(line: string, share?: number): void;
}

/** Does one kind of work and returns its lines of the table. */
export type Measure = (bench: Bench) => Promise<Row[]>;

/** Something a second, as text: `12,345/s`. */
export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en")}/s`;
}
