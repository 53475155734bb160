/** Further errors of a file whose every line is wrong are not reported. */
const MAX_ERRORS = 1000;

/** A line of a file of people that names no person, or says of one what cannot be recorded. */
export interface LineError {
  line: number;
  /** Empty where it is not a single field. */
  field: string;
  code: string;
  reason: string;
}

/** The lines of a file that were refused. */
export interface RefusedLines {
  invalid: number;
  /** The first thousand. */
  errors: LineError[];
}

/** Counts a refused line, and keeps its error as far as errors are reported. */
export function addLineError(lines: RefusedLines, error: LineError): void {
  lines.invalid++;
  if (lines.errors.length < MAX_ERRORS) lines.errors.push(error);
}
