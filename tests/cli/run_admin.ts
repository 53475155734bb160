import { admin } from "../../cli/admin.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { type Outcome, runProcess } from "./run_process.ts";

export interface AdminOutcome extends Outcome {
  /** Standard output as JSON; only for calls with --json. */
  json: Record<string, unknown>;
}

export interface AdminOptions {
  /** Besides the tests' OUTBOUND_SECRETS_KEY. */
  env?: Record<string, string>;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `deno task admin` in this process, with nothing but these variables: a tenth of the processor time of a process of
 * its own. Runs that are started together follow each other, because they write to the same streams.
 */
export async function runAdmin(args: string[], { env = {} }: AdminOptions = {}): Promise<AdminOutcome> {
  const run = last.then(() =>
    captured(args, () => admin(args, { OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY, ...env }))
  );
  last = run.catch(() => {});
  return await run;
}

/** Runs `deno task admin` as an operator would: a process of its own, for what comes from its environment or standard input. */
export async function runAdminProcess(
  args: string[],
  { env, stdin = "" }: AdminOptions & { stdin?: string } = {},
): Promise<AdminOutcome> {
  const script = new URL("../../cli/admin.ts", import.meta.url);
  const outcome = await runProcess(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script.pathname, ...args],
    env: { OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY, ...env },
    stdin,
  });
  return { ...outcome, json: args.includes("--json") ? JSON.parse(outcome.stdout) : {} };
}

/** Collects what a command writes instead of letting it through. */
async function captured(args: string[], run: () => Promise<number>): Promise<AdminOutcome> {
  const texts = { stdout: "", stderr: "" };
  const streams = ["stdout", "stderr"] as const;
  for (const name of streams) {
    const decoder = new TextDecoder();
    Deno[name].writeSync = (bytes) => {
      texts[name] += decoder.decode(bytes, { stream: true });
      return bytes.length;
    };
  }
  try {
    const code = await run();
    return { code, ...texts, json: args.includes("--json") ? JSON.parse(texts.stdout) : {} };
  } finally {
    for (const name of streams) Reflect.deleteProperty(Deno[name], "writeSync"); // the stream's own shows again
  }
}
