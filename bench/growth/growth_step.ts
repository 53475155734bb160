/** The costs of one thing the database does, for one message, request or batch. */
export interface GrowthCost {
  work: string;
  /** Microseconds in the database. */
  us: number;
  /** Pages of 8 KiB looked at. */
  pages: number;
}

/** A table with its indexes. */
export interface TableSize {
  table: string;
  rows: number;
  bytes: number;
  /** The part of `bytes` that is indexes. */
  index_bytes: number;
}

/** Everything measured at one size of the history. */
export interface GrowthStep {
  /** Messages that were sent before. */
  history: number;
  costs: GrowthCost[];
  /** `POST /notify` at 32 connections. */
  intake: { per_second: number; p50_ms: number; p99_ms: number };
  tables: TableSize[];
}

/** `bench/growth.json`: one run. */
export interface Growth {
  measured_at: string;
  steps: GrowthStep[];
}
