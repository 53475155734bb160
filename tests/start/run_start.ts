import { fileURLToPath } from "node:url";
import { z } from "zod";
import { machineEnv } from "../setup/machine_env.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const stackSchema = z.strictObject({
  base_url: z.url(),
  database_url: z.string(),
  auth_url: z.url(),
  sandbox_url: z.url().optional(),
  widget_url: z.url(),
  console_url: z.url(),
  metrics_url: z.url(),
  pid: z.int(),
  demo: z.strictObject({
    email: z.email(),
    password: z.string(),
    company_id: z.uuid(),
    access_key: z.string(),
    publishable_key: z.string(),
    chat_widget_id: z.uuid(),
    voice_widget_id: z.uuid(),
    sender: z.string(),
    agent_id: z.uuid(),
    waba_id: z.string(),
    templates: z.array(z.string()),
  }).optional(),
});

export type StackFile = z.infer<typeof stackSchema>;

export interface RunningStart {
  stack: StackFile;
  /** The output up to the end of the banner. */
  banner: string;
  /** Returns what the screen has shown so far. */
  screen(): string;
  /** Sends the signal to the stack itself and returns the exit code of `deno task start`. */
  stop(signal?: Deno.Signal): Promise<number>;
}

/** Runs `deno task start` to its end, which is a refusal. */
export async function refusedStart(
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await command(env).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: withoutTask(decoder.decode(stderr)) };
}

/** Runs `deno task start` in a home of its own, and stops it when `fn` is done. */
export async function withStart(
  env: Record<string, string> & { OUTBOUND_HOME: string },
  fn: (start: RunningStart) => Promise<void>,
  args: string[] = [],
): Promise<void> {
  const process = command({ PORT: "0", ...env }, args).spawn();
  const { banner, screen } = await readBanner(process);
  const home = JSON.parse(await Deno.readTextFile(`${env.OUTBOUND_HOME}/stack.json`));
  let stopped: Promise<number> | undefined;
  const stop = (signal: Deno.Signal = "SIGTERM") =>
    stopped ??= (async () => {
      Deno.kill(home.pid, signal);
      return (await process.status).code;
    })();
  try {
    const stack = stackSchema.parse(home);
    await fn({ stack, banner, screen, stop });
  } finally {
    await stop();
  }
}

/** Reads `stack.json` and checks that it has its fields and no others. */
export async function readStackFile(home: string): Promise<StackFile> {
  return stackSchema.parse(JSON.parse(await Deno.readTextFile(`${home}/stack.json`)));
}

function command(env: Record<string, string>, args: string[] = []): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "start", ...args],
    cwd: ROOT,
    clearEnv: true,
    env: { ...machineEnv(), NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Waits for the last line of the banner; what comes after is read too, so that the pipe never fills. */
async function readBanner(process: Deno.ChildProcess): Promise<Pick<RunningStart, "banner" | "screen">> {
  const errors = new Response(process.stderr).text();
  const ready = Promise.withResolvers<string>();
  let text = "";
  void (async () => {
    for await (const chunk of process.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes(BANNER_END)) ready.resolve(text);
    }
    ready.reject(new Error(`deno task start ended: ${text}\n${await errors}`));
  })();
  return { banner: await ready.promise, screen: () => text };
}

const BANNER_END = "Ctrl-C ends it\n";

/** `deno task` first says which command it runs. */
function withoutTask(text: string): string {
  return text.replace(/^Task start .*\n/, "");
}
