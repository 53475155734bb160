import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LONG } from "./slow_tests.ts";

const FILES_PER_LANE = 8;
/** `beforeAll` and its like hold for all tests of the module that `deno test` was given. */
const HOOKS = /\bDeno\.test\.(before|after)|\bshare(WidgetStack|Console)\b/;

/**
 * Writes modules that import test files: several files each, so that what these share is loaded once and not per file, and one
 * file where it needs a module of its own. Reports name the files all the same.
 *
 * @param files paths from `root`
 * @returns what to give to `deno test`, long files first: it keeps the order of modules outside of `root`, and runs them before
 * those inside
 */
export async function writeLanes(root: string, folder: string, files: string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(join(root, file))));
  const long = files.filter((file) => LONG.has(file));
  const own = [...long, ...files.filter((file, index) => !long.includes(file) && HOOKS.test(texts[index]!))];
  const shared = files.filter((file) => !own.includes(file));
  if (shared.length <= FILES_PER_LANE) return [...own, ...shared];
  const together = Array.from(
    { length: Math.ceil(shared.length / FILES_PER_LANE) },
    (_, index) => shared.slice(index * FILES_PER_LANE, (index + 1) * FILES_PER_LANE),
  );
  const lanes = [...own.map((file) => [file]), ...together];
  return await Promise.all(lanes.map(async (part) => {
    const first = part[0]!.replace(/^tests\//, "").replace(/_test\.ts$/, "").replaceAll("/", ".");
    const more = part.length > 1 ? `+${part.length - 1}` : "";
    const lane = join(await Deno.makeTempDir({ dir: folder }), `${first}${more}_test.ts`);
    const imports = part.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
    await Deno.writeTextFile(lane, imports.join(""));
    return lane;
  }));
}
