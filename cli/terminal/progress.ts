import process from "node:process";
import { SingleBar } from "cli-progress";

export interface Progress {
  update(done: number, total: number, note: string): void;
  stop(): void;
}

/** Starts a progress bar on standard error; does nothing where that is no terminal. */
export function startProgress(): Progress {
  const bar = new SingleBar({
    format: "{bar} {value}/{total} {note}",
    stream: process.stderr,
    noTTYOutput: false,
    hideCursor: true,
    clearOnComplete: true,
  });
  return {
    update(done, total, note) {
      if (bar.isActive) bar.update(done, { note });
      else bar.start(total, done, { note });
    },
    stop: () => bar.stop(),
  };
}
