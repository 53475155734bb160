import { taskCommand } from "../../../cli/service/task_command.ts";
import { machineEnv } from "../../setup/machine_env.ts";

/** `deno task dispatch`, running in a process of its own. */
export interface DispatcherProcess {
  /** Whether it has reported that it dispatches, and has not exited. */
  isReady(): boolean;
  /** Sends a signal such as SIGKILL; the process may have exited already. */
  signal(name: Deno.Signal): void;
  /** How it exited. An exit without a signal is a failure. */
  status: Promise<Deno.CommandStatus>;
}

export interface DispatcherOptions {
  /** Every setting; nothing of the test's own environment is passed on but what Deno needs. */
  env: Record<string, string>;
  /** Modules of this folder to load before the dispatcher, which may have a query: they read the settings alone. */
  preload?: string[];
}

/** Ends the process when its parent is gone, so that a killed test leaves no dispatcher behind. */
const END_WITH_PARENT = "end_with_parent.ts";

/** Starts a dispatcher. What it writes to standard error is passed through. */
export function startDispatcher({ env, preload = [] }: DispatcherOptions): DispatcherProcess {
  const preloads = [END_WITH_PARENT, ...preload].flatMap((
    file,
  ) => ["--preload", new URL(file, import.meta.url).href]);
  const [path, ...args] = taskCommand("dispatch", { flags: preloads });
  const child = new Deno.Command(path!, {
    args,
    clearEnv: true,
    env: { ...machineEnv(), ...env },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let ready = false;
  void (async () => {
    for await (const _ of child.stdout) ready = true;
  })();
  const status = child.status.finally(() => ready = false);
  return {
    isReady: () => ready,
    signal(name) {
      ready = false;
      try {
        child.kill(name);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has ended already
      }
    },
    status,
  };
}
