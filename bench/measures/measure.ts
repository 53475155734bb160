import type { DatabaseServer } from "../setup/database_server.ts";

/** One line of the table. */
export interface Row {
  work: string;
  against: string;
  /** None: the figure is there to be known. */
  aim?: string;
  ours: string;
  theirs: string;
  ratio: number;
  met?: boolean;
}

/** What every measure works with. */
export interface Bench {
  server: DatabaseServer;
  /** Gone after the run. */
  folder: string;
  /** A tenth of the work. */
  quick: boolean;
  rounds: number;
  report(line: string): void;
}

/** Does one kind of work and answers its lines of the table. */
export type Measure = (bench: Bench) => Promise<Row[]>;

/** Something a second, as text: `12,345/s`. */
export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en")}/s`;
}
