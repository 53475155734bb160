import { printError } from "../../cli/terminal/print.ts";
import { startProgress } from "../../cli/terminal/progress.ts";

/** How far a run is: lines on standard error and, on a terminal, a bar below them. */
export interface RunProgress {
  begin(measure: string): void;
  /** `share`: how much of the measure is done, where that is known. */
  report(line: string, share?: number): void;
  stop(): void;
}

/** Follows a run of so many measures. */
export function startRunProgress(measures: number): RunProgress {
  const started = performance.now();
  const bar = startProgress();
  let [name, begun, done] = ["", 0, 0];
  const draw = () => {
    const at = Math.max(0, begun - 1) + done;
    bar.update(Number(at.toFixed(1)), measures, `measures, ${name}, ${elapsed(started)}`);
  };
  const line = (text: string) => {
    bar.stop();
    printError(text);
    draw();
  };
  const clock = setInterval(draw, 1000);
  return {
    begin(measure) {
      [name, begun, done] = [measure, begun + 1, 0];
      line(`[${begun}/${measures}] ${name}  ${elapsed(started)}`);
    },
    report(text, share = done) {
      done = share;
      line(`  ${elapsed(started)}  ${text}`);
    },
    stop() {
      clearInterval(clock);
      bar.stop();
    },
  };
}

/** Minutes and seconds since then: `3:07`. */
function elapsed(since: number): string {
  const seconds = Math.floor((performance.now() - since) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
