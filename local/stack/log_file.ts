import { join } from "node:path";
import type { LogLevel } from "../../supabase/functions/_shared/log.ts";

export interface LogFileOptions {
  /** Shows a line on the screen. */
  show: (line: string) => void;
  /** Every line is shown, not only warnings and errors. */
  isVerbose: boolean;
  /** @default 10 MB */
  maxBytes?: number;
}

export interface LogFile {
  path: string;
  write(line: string, level: LogLevel): void;
  close(): void;
}

const MAX_BYTES = 10_000_000;

const encoder = new TextEncoder();

/**
 * Opens the log of a home, for its owner only. At each start, and when it is full, it begins anew and keeps the one
 * before. A line that cannot be stored is shown instead.
 */
export function openLogFile(
  home: string,
  { show, isVerbose, maxBytes = MAX_BYTES }: LogFileOptions,
): LogFile {
  const path = join(home, "service.log");
  let file = begin(path);
  let size = 0;
  const store = (line: string): boolean => {
    const bytes = encoder.encode(`${line}\n`);
    try {
      if (size + bytes.length > maxBytes) {
        const next = begin(path);
        file.close();
        [file, size] = [next, 0];
      }
      size += file.writeSync(bytes);
      return true;
    } catch {
      return false;
    }
  };
  return {
    path,
    write(line, level) {
      const isStored = store(line);
      if (!isStored || isVerbose || level === "warn" || level === "error") show(line);
    },
    close: () => file.close(),
  };
}

/** Makes the log, with the one that was there kept as the previous one. */
function begin(path: string): Deno.FsFile {
  try {
    Deno.renameSync(path, path.replace(/\.log$/, ".previous.log"));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
}
