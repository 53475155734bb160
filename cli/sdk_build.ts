import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { exitCodeOf } from "./terminal/command_line.ts";
import { CommandError } from "./errors/command_error.ts";
import { print } from "./terminal/print.ts";
import { buildPackage } from "./sdk_build/build_package.ts";

const HELP = `Usage: deno task sdk:build [--out DIR]

Builds the TypeScript client as an npm package: modules for Node, Deno, Bun and browsers, and their types. Publish it with
"npm publish" in its folder, or make a file of it with "npm pack".

  --out DIR   where the package goes (default dist/sdk); what is there is removed
  --help      print this text`;

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** Runs the command `deno task sdk:build` and returns its exit code. */
async function sdkBuild(args: string[]): Promise<number> {
  const { out, help } = readOptions(args);
  if (help) {
    print(HELP);
    return 0;
  }
  await buildPackage(ROOT, resolve(out));
  print(`Built into ${resolve(out)}`);
  return 0;
}

function readOptions(args: string[]) {
  const options = {
    out: { type: "string", default: join(ROOT, "dist", "sdk") },
    help: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError("usage", `${(error as Error).message.split(".")[0]}. Try --help`);
  }
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => sdkBuild(Deno.args)));
