import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseBuildOptions } from "./browser_build/options.ts";
import { exitCodeOf } from "./terminal/command_line.ts";
import { bundleFunctions, deployedSlugs } from "./functions_build/bundle_functions.ts";
import { print } from "./terminal/print.ts";

const HELP = `Usage: deno task functions:build [--out DIR]

Bundles the functions for Supabase: one file per function, with its packages in the versions of deno.lock.
supabase/config.toml names these files, so "supabase functions deploy" uploads them.

  --out DIR   where the files go (default dist/functions)
  --help      print this text`;

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** Runs the command `deno task functions:build` and returns its exit code. */
async function functionsBuild(args: string[]): Promise<number> {
  const { out, help } = parseBuildOptions(args, {
    out: { type: "string", default: join(ROOT, "dist", "functions") },
    help: { type: "boolean", default: false },
  });
  if (help) {
    print(HELP);
    return 0;
  }
  const files = await bundleFunctions(ROOT, await deployedSlugs(ROOT), resolve(out));
  print(`Bundled ${files.size} functions into ${resolve(out)}`);
  return 0;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => functionsBuild(Deno.args)));
