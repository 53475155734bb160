import { terminalJson } from "./values/control_characters.ts";
import { causeOf } from "./error_cause.ts";
import { AppError, isServerFault } from "./errors.ts";

const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = typeof LEVELS[number];

/** Writes one JSON object per line, in characters that are safe in a terminal. Fields must never hold a key, a token or a query string. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Takes each line of a log. */
export type WriteLine = (line: string, level: LogLevel) => void;

/** The fields that a log adds to its lines, and the counter of its lines. */
export interface LogOptions {
  /** Fields of every line, such as the trace that the line belongs to. */
  always?: () => Record<string, unknown>;
  /** Receives the level of each line, also of lines that are left out. */
  onLine?: (level: string) => void;
}

/** Creates a log that leaves out everything below `level`. */
export function createLog(
  level: LogLevel,
  write: WriteLine = writeLine,
  { always, onLine }: LogOptions = {},
): Log {
  const from = LEVELS.indexOf(level);
  const at = (name: LogLevel) => (message: string, fields: Record<string, unknown> = {}) => {
    onLine?.(name);
    if (LEVELS.indexOf(name) < from) return;
    const line = { time: new Date().toISOString(), level: name, message, ...fields, ...always?.() };
    write(terminalJson(line), name);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * Returns what a log may show of an unexpected error: its kind, its code and its text, but no stack, no SQL and no
 * parameters.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code, constraint_name, routine } = error as Error & Record<string, unknown>;
  return { error: error.name, error_message: error.message, code, constraint: constraint_name, routine };
}

/**
 * Returns the level at which a failure is logged: an unexpected error is an error, an unavailable platform or database
 * a warning, and a refusal information, because unknown callers must not fill the log with errors. An error is for an
 * operator to act on: GET /health and the queue's last tick show a database that stays away, and a restart of it alerts
 * no operator.
 */
export function failureLevel(error: unknown): "error" | "warn" | "info" {
  if (!(error instanceof AppError)) return causeOf(error) === "database" ? "warn" : "error";
  return isServerFault(error) ? "warn" : "info";
}

function writeLine(line: string): void {
  // deno-lint-ignore no-console -- the only file that writes logs; hosted runtimes collect the console
  console.log(line);
}

/** Returns a function that runs `work` at most once in `ms` milliseconds; calls in between are dropped. */
export function oncePer<Args extends unknown[]>(
  ms: number,
  work: (...args: Args) => void,
): (...args: Args) => void {
  let last = -Infinity;
  return (...args) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    work(...args);
  };
}
