import { runProgram } from "./run_program.ts";

/** Packs the npm package in `folder` into one file in `out`, which npm makes the same each time, and returns its name. */
export async function packNpm(folder: string, out: string): Promise<string> {
  return (await runProgram("npm", ["pack", "--silent", "--pack-destination", out], { cwd: folder })).trim();
}
