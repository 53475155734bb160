/**
 * `deno task test:fuzz` sends requests that Schemathesis makes from the API document to a stack of its own.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withTempFolder } from "../setup/temp_folder.ts";
import { withStart } from "../start/run_start.ts";
import { installPythonProgram } from "../../cli/release_build/python_program.ts";
import { makeCallers, STACK_ENV } from "./callers.ts";
import { type FuzzOptions, readOptions, USAGE } from "./options.ts";
import { readReport, summarize } from "./report.ts";
import { EXCLUDED, NOT_CALLED, schemathesisConfig } from "./schemathesis_config.ts";

const TOOLS = fileURLToPath(new URL("../../.outbound/tools", import.meta.url));
const SCHEMATHESIS = { name: "schemathesis", version: "4.32.5", program: "schemathesis" };

/** Runs the command. Returns its exit code: 0 without a fault, 1 with one, 2 when it could not run. */
async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options === "help") {
    print(USAGE);
    return 0;
  }
  print(`Looking for Schemathesis ${SCHEMATHESIS.version}`);
  const found = await installPythonProgram(SCHEMATHESIS, TOOLS);
  if ("missing" in found) {
    print(`The API cannot be fuzzed here: ${found.missing}`);
    return 2;
  }
  let code = 2;
  await withTempFolder(async (folder) => {
    print("Starting the service");
    await withStart({ ...STACK_ENV, OUTBOUND_HOME: join(folder, "home") }, async ({ stack }) => {
      await Deno.writeTextFile(join(folder, "fuzz.toml"), schemathesisConfig(await makeCallers(stack)));
      code = await fuzz(found.path, stack.base_url, folder, options);
    });
  });
  return code;
}

async function fuzz(
  program: string,
  baseUrl: string,
  folder: string,
  { seconds, operations, maxExamples, seed }: FuzzOptions,
): Promise<number> {
  const report = join(folder, "report.ndjson");
  const child = new Deno.Command(program, {
    args: [
      ...["--config-file", join(folder, "fuzz.toml"), "run", `${baseUrl}/openapi.json`],
      ...["--phases", "examples,coverage,fuzzing"],
      ...["--max-time", String(seconds), "--max-examples", String(maxExamples), "--request-timeout", "30"],
      ...["--workers", "1", "--warnings", "off", "--report", "ndjson", "--report-ndjson-path", report],
      ...seed === undefined ? [] : ["--seed", seed],
      ...operations.flatMap((name) => ["--include-operation-id", name]),
    ],
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).spawn();
  const { code } = await child.status;
  print(summarize(await readReport(report), { excluded: EXCLUDED, notCalled: NOT_CALLED }));
  return code;
}

function print(line: string): void {
  // deno-lint-ignore no-console
  console.log(line);
}

if (import.meta.main) {
  try {
    Deno.exit(await main(Deno.args));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    print(`${error.message}\n\n${USAGE}`);
    Deno.exit(2);
  }
}
