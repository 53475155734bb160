import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { exitCodeOf } from "./terminal/command_line.ts";
import { CommandError } from "./errors/command_error.ts";
import { print } from "./terminal/print.ts";
import { buildPackage } from "./sdk_build/build_package.ts";
import { buildWidgetPackage } from "./sdk_build/build_widget_package.ts";

const HELP = `Usage: deno task sdk:build [--package NAME] [--out DIR]

Builds an npm package: modules and their types. Publish it with "npm publish" in its folder, or make a file of it with
"npm pack".

  --package NAME  sdk, the TypeScript client for Node, Deno, Bun and browsers (default), or widget, the widgets for websites
  --out DIR       where the package goes (default dist/sdk or dist/sdk-widget); what is there is removed
  --help          print this text`;

const PACKAGES = {
  sdk: { build: buildPackage, out: "sdk" },
  widget: { build: buildWidgetPackage, out: "sdk-widget" },
};

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** Runs the command `deno task sdk:build` and returns its exit code. */
async function sdkBuild(args: string[]): Promise<number> {
  const { package: name, out, help } = readOptions(args);
  if (help) {
    print(HELP);
    return 0;
  }
  const chosen = Object.hasOwn(PACKAGES, name) ? PACKAGES[name as keyof typeof PACKAGES] : undefined;
  if (!chosen) throw new CommandError("usage", `--package: expected sdk or widget, got ${name}. Try --help`);
  const folder = resolve(out ?? join(ROOT, "dist", chosen.out));
  await chosen.build(ROOT, folder);
  print(`Built into ${folder}`);
  return 0;
}

function readOptions(args: string[]) {
  const options = {
    package: { type: "string", default: "sdk" },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError("usage", `${(error as Error).message.split(".")[0]}. Try --help`);
  }
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => sdkBuild(Deno.args)));
