import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { eventually } from "../setup/eventually.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { copyFolder } from "../setup/copy_folder.ts";
import { ROOT } from "./read_page.ts";
import { machineEnv } from "../setup/machine_env.ts";

/** The first start of a stack, on a busy machine. */
const START_MS = 120_000;

/** Commands that the pages use besides Node; Deno is not among them. */
const TOOLS = ["bash", "cat", "date", "dirname", "env", "grep", "head", "ls", "mkdir", "rm", "sed", "sh"]
  .concat(["sleep", "tail", "tr", "uname", "wc", "node", "npm", "npx"]);

const FOLDERS = ["cli", "console", "dev", "docs", "local", "sdk", "supabase", "widget"];
const FILES = ["LICENSE", "deno.json", "deno.lock", "import_map.json"];

/** More settings that Node, npm and Deno need to fetch something; none of the settings of the service. */
const KEPT = /^(CI|NODE_.*|.*_proxy)$/i;

/** The fields of `stack.json` that the tests read. */
export interface StackFile {
  base_url: string;
  database_url: string;
  sandbox_url: string;
  widget_url: string;
  pid: number;
  demo: { company_id: string; publishable_key: string; chat_widget_id: string };
}

export interface DocumentedStack {
  /** A copy of the project, in which the stack runs. */
  folder: string;
  env: Record<string, string>;
  stack: StackFile;
  /** Puts a free port in place of 8080, where the reader's own program listens. */
  withFreePort(text: string): string;
}

/** Returns the tools that this machine lacks. */
export async function missingTools(): Promise<string[]> {
  const found = await Promise.all(
    [...TOOLS, "curl"].map(async (tool) => [tool, await findTool(tool)] as const),
  );
  return found.flatMap(([tool, path]) => path === undefined ? [tool] : []);
}

/**
 * Calls `fn` with the service, started by the command of README.md in a copy of the project, with Node on the path and
 * no Deno. `curl` fails there for every status from 400 on.
 */
export async function withDocumentedStack(
  startCommand: string,
  fn: (stack: DocumentedStack) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (temporary) => {
    const folder = join(temporary, "outbound");
    const bin = join(temporary, "bin");
    await makeTools(bin);
    for (const name of FOLDERS) await copyFolder(join(ROOT, name), join(folder, name));
    for (const name of FILES) await Deno.copyFile(join(ROOT, name), join(folder, name));
    const env = { ...machineEnv(), ...keptVariables(), PATH: bin, NO_COLOR: "1" };
    const child = new Deno.Command("bash", {
      args: ["-c", `exec ${startCommand} > start.log 2>&1`],
      cwd: folder,
      clearEnv: true,
      env: { ...env, PORT: "0", OUTBOUND_LOG_LEVEL: "error" },
      stdin: "null",
    }).spawn();
    const stackFile = join(folder, ".outbound", "stack.json");
    try {
      const stack = await eventually(
        async () => await readJson(stackFile) ?? assert.fail("not started"),
        START_MS,
      );
      await eventually(() => assertBuilt(stack), START_MS);
      await shortenNpx(bin);
      await fn({ folder, env, stack, withFreePort: freePortIn() });
    } catch (error) {
      throw new Error(`The stack printed: ${await Deno.readTextFile(join(folder, "start.log"))}`, {
        cause: error,
      });
    } finally {
      endProcess((await readJson(stackFile))?.pid ?? child.pid);
      await child.status;
    }
  });
}

/** The widgets are built after the start; a voice session needs their files. */
async function assertBuilt({ widget_url }: StackFile): Promise<void> {
  const response = await fetch(`${widget_url}/manifest.json`);
  await response.body?.cancel();
  assert.ok(response.ok, "the widgets are not built");
}

/** A stack that has ended by itself must not hide why. */
function endProcess(pid: number): void {
  try {
    Deno.kill(pid, "SIGTERM");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function readJson(file: string): Promise<StackFile | undefined> {
  return JSON.parse(await Deno.readTextFile(file).catch(() => "null")) ?? undefined;
}

function freePortIn(): (text: string) => string {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const receiver = String(listener.addr.port);
  listener.close();
  return (text) => text.replaceAll(/\b8080\b/g, receiver);
}

async function makeTools(bin: string): Promise<void> {
  await Deno.mkdir(bin);
  for (const tool of TOOLS) {
    const path = await findTool(tool);
    if (path !== undefined) await Deno.symlink(path, join(bin, tool));
  }
  const curl = `#!/bin/sh\nexec ${await findTool("curl")} --fail-with-body "$@"\n`;
  await Deno.writeTextFile(join(bin, "curl"), curl, { mode: 0o755 });
}

/** From the second command on, Deno starts without the 0.3 s of processor time that npx takes to find it. */
async function shortenNpx(bin: string): Promise<void> {
  const npx = join(bin, "npx");
  const found = await Deno.realPath(npx);
  await Deno.remove(npx);
  const text = `#!/bin/sh
case "$1 $2" in "-y deno@"*) shift 2; exec ${Deno.execPath()} "$@" ;; esac
exec ${found} "$@"
`;
  await Deno.writeTextFile(npx, text, { mode: 0o755 });
}

async function findTool(name: string): Promise<string | undefined> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(delimiter)) {
    const path = join(folder, name);
    const isFile = await Deno.stat(path).then(({ isFile }) => isFile, () => false);
    if (isFile) return path;
  }
}

function keptVariables(): Record<string, string> {
  return Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => KEPT.test(name)));
}
