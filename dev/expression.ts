/** A regular expression of a source. */
export interface Expression {
  /** `file:line`. */
  at: string;
  source: string;
  flags: string;
}

/** The expressions that a source file writes, and the lines where it makes one of text. */
export interface ReadSource {
  file: string;
  written: Expression[];
  makers: string[];
}
