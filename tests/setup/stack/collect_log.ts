import { createLog, type Log, type LogLevel } from "../../../supabase/functions/_shared/log.ts";
import type { JsonObject } from "../http/http.ts";

/** A log that is kept instead of written. */
export interface CollectedLog {
  log: Log;
  entries: JsonObject[];
  /** The messages of one level, in order. */
  lines(level: LogLevel): string[];
}

export function collectLog(): CollectedLog {
  const entries: JsonObject[] = [];
  return {
    log: createLog("debug", (line) => entries.push(JSON.parse(line))),
    entries,
    lines: (level) => entries.filter((entry) => entry.level === level).map(({ message }) => message),
  };
}
