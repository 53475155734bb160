import { TEST_SECRETS_KEY } from "../setup/fixtures.ts";

export interface AdminOutcome {
  code: number;
  stdout: string;
  stderr: string;
  /** Standard output as JSON; only for calls with --json. */
  json: Record<string, unknown>;
}

export interface AdminOptions {
  /** Besides the tests' SECRETS_KEY. */
  env?: Record<string, string>;
  stdin?: string;
}

/** Runs `deno task admin` as an operator would: a process of its own, with nothing but these variables. */
export async function runAdmin(args: string[], options: AdminOptions = {}): Promise<AdminOutcome> {
  const script = new URL("../../cli/admin.ts", import.meta.url);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script.pathname, ...args],
    clearEnv: true,
    env: { ...pick("HOME", "PATH", "DENO_DIR"), SECRETS_KEY: TEST_SECRETS_KEY, ...options.env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(options.stdin ?? "")).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  return { code, stdout: out, stderr: err, json: args.includes("--json") ? JSON.parse(out) : {} };
}

function pick(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
