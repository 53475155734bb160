import { fileURLToPath } from "node:url";
import { printError } from "../../cli/terminal/print.ts";

/** A child process that has said that it is ready. */
export interface BenchProcess {
  pid: number;
  /** The line by which it said so. */
  ready: string;
  /** Asks it to end, and waits. */
  stop(signal?: Deno.Signal): Promise<void>;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The project's own root folder, where child processes run by default. */
export function rootFolder(): string {
  return ROOT;
}

/** Arguments for a script of the project under the Deno that runs this one. */
export function denoArgs(script: string): string[] {
  return [Deno.execPath(), "run", "-A", "--quiet", "--no-check", script];
}

/**
 * Starts a process and waits for its first line on standard output.
 *
 * @throws Error with what it wrote to standard error when it ends before that
 */
export async function startProcess(
  [program, ...args]: string[],
  { env = {}, cwd = ROOT }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<BenchProcess> {
  const child = new Deno.Command(program!, {
    args,
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let complaints = "";
  void (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      complaints = (complaints + chunk).slice(-2000);
    }
  })();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: ready } = await lines.read();
  if (ready === undefined) throw new Error(`${program} ${args.join(" ")} ended: ${complaints}`);
  void (async () => {
    while (!(await lines.read()).done);
  })();
  let isStopping = false;
  void child.status.then(({ code, signal }) => {
    if (isStopping || code === 0) return;
    printError(`${program} ${args.join(" ")} ended by itself (${signal ?? code}): ${complaints}`);
  });
  return {
    pid: child.pid,
    ready: ready.trim(),
    async stop(signal = "SIGTERM") {
      isStopping = true;
      try {
        child.kill(signal);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has ended already
      }
      await child.status;
    },
  };
}

/** A port without a listener. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
