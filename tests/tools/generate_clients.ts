/**
 * `deno task test:clients` generates clients from the API document with the tools that people use for Python, Go and
 * TypeScript, and compiles them. A warning is a failure: it stands for a type that is missing in the client. A tool that
 * cannot be installed here is skipped, with the reason.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadEnv } from "../../supabase/functions/_shared/env.ts";
import { createServices } from "../../supabase/functions/_shared/services.ts";
import { createMainApp } from "../../supabase/functions/main/app.ts";
import { readDocument, TEST_ENV } from "../setup/services.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { findBinary } from "./find_binary.ts";
import { installPythonProgram } from "./python_program.ts";

const TOOLS = fileURLToPath(new URL("../../.outbound/tools", import.meta.url));

const PYTHON = { name: "openapi-python-client", version: "0.29.1", program: "openapi-python-client" };
const GO = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const TYPESCRIPT = ["@hey-api/openapi-ts@0.99.0", "typescript@5.9.3"];

/** The media types of recordings and of files with contacts. */
const BYTES = ["mpeg", "mp4", "ogg", "wav", "webm", "aac", "flac"].map((form) => `audio/${form}`)
  .concat("text/csv", "application/x-ndjson");

/** The result of one tool. */
type Outcome = { kind: "ok" } | { kind: "skipped" | "failed"; reason: string };

const OK: Outcome = { kind: "ok" };

/** Each generates a client of a document in an empty folder, and compiles it. */
const CLIENTS: Record<string, (folder: string, document: string) => Promise<Outcome>> = {
  "Python, openapi-python-client 0.29.1": async (folder, document) => {
    const found = await installPythonProgram(PYTHON, TOOLS);
    if ("missing" in found) return { kind: "skipped", reason: found.missing };
    const bin = dirname(found.path);
    const output = join(folder, "client");
    const config = join(folder, "config.json");
    // It knows bytes by this type only.
    const content_type_overrides = Object.fromEntries(
      BYTES.map((type) => [type, "application/octet-stream"]),
    );
    await Deno.writeTextFile(config, JSON.stringify({ content_type_overrides }));
    const options = ["--path", document, "--output-path", output, "--meta", "none", "--config", config]
      .concat("--fail-on-warning");
    // It formats what it wrote with `ruff`, which is beside it.
    const env = { PATH: `${bin}:${Deno.env.get("PATH")}` };
    return await inOrder([
      () => run(folder, [found.path, "generate", ...options], env),
      () => run(folder, [join(bin, "python"), "-m", "compileall", "-q", output]),
    ]);
  },
  "Go, oapi-codegen v2.8.2": async (folder, document) => {
    if (await findBinary("go") === undefined) return { kind: "skipped", reason: "Go is not installed" };
    await Deno.writeTextFile(join(folder, "go.mod"), "module example.com/client\n\ngo 1.24\n");
    const env = { GOBIN: folder, GOFLAGS: "-mod=mod" };
    const options = ["-generate", "types,client", "-package", "client", "-o", "client.go"];
    return await inOrder([
      () => install(folder, ["go", "install", GO], env),
      () => run(folder, [join(folder, "oapi-codegen"), ...options, document]),
      () => install(folder, ["go", "mod", "tidy"], env),
      () => run(folder, ["go", "vet", "./..."], env),
    ]);
  },
  "TypeScript, openapi-ts 0.99.0": async (folder, document) => {
    if (await findBinary("npm") === undefined) return { kind: "skipped", reason: "npm is not installed" };
    const bin = join(folder, "node_modules/.bin");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
    return await inOrder([
      () => install(folder, ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ...TYPESCRIPT]),
      () => run(folder, [join(bin, "openapi-ts"), "-i", document, "-o", "client"]),
      () =>
        run(folder, [join(bin, "tsc"), ...options, "--lib", "es2022,dom,dom.iterable", "client/index.ts"]),
    ]);
  },
};

/** Takes steps until one is not ok. */
async function inOrder(steps: (() => Promise<Outcome>)[]): Promise<Outcome> {
  for (const step of steps) {
    const outcome = await step();
    if (outcome.kind !== "ok") return outcome;
  }
  return OK;
}

/** Fetches packages; without them the client cannot be made here. */
async function install(folder: string, command: string[], env = {}): Promise<Outcome> {
  const { success, output } = await execute(folder, command, env);
  return success ? OK : { kind: "skipped", reason: `${command.join(" ")}: ${output.split("\n").at(-1)}` };
}

/** Runs a tool, which must neither fail nor warn. */
async function run(folder: string, command: string[], env = {}): Promise<Outcome> {
  const { success, output } = await execute(folder, command, env);
  return success && !/warn/i.test(output) ? OK : { kind: "failed", reason: output };
}

async function execute(
  cwd: string,
  [program, ...args]: string[],
  env: Record<string, string>,
): Promise<{ success: boolean; output: string }> {
  const { success, stdout, stderr } = await new Deno.Command(program!, {
    args,
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { success, output: `${decoder.decode(stdout)}${decoder.decode(stderr)}`.trim() };
}

/** Returns the API document. No request is made, so the database does not have to be there. */
async function documentText(): Promise<string> {
  const services = createServices(
    loadEnv({ ...TEST_ENV, DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" }),
  );
  const document = await readDocument(createMainApp(services));
  await services.close();
  return JSON.stringify(document);
}

/** Generates every client. Returns whether none failed. */
async function main(): Promise<boolean> {
  const outcomes: Outcome[] = [];
  await withTempFolder(async (temporary) => {
    const document = join(temporary, "openapi.json");
    await Deno.writeTextFile(document, await documentText());
    for (const [name, generate] of Object.entries(CLIENTS)) {
      const folder = await Deno.makeTempDir({ dir: temporary });
      const outcome = await generate(folder, document);
      outcomes.push(outcome);
      // deno-lint-ignore no-console
      console.log(`${name}: ${outcome.kind}${outcome.kind === "ok" ? "" : `\n${outcome.reason}`}`);
    }
  });
  return outcomes.every(({ kind }) => kind !== "failed");
}

if (import.meta.main) Deno.exit(await main() ? 0 : 1);
