import { join } from "node:path";
import { runDeno } from "../browser_build/bundle.ts";

/** Packages expect these of Node. In a bundle they are code of ours, to which the hosted runtime does not give them. */
const NODE_GLOBALS = `import { Buffer as nodeBuffer } from "node:buffer";
import * as nodeTimers from "node:timers";
globalThis.Buffer ??= nodeBuffer;
globalThis.global ??= globalThis;
globalThis.setImmediate ??= nodeTimers.setImmediate;
globalThis.clearImmediate ??= nodeTimers.clearImmediate;
`;

/**
 * Escapes what ASCII does not have. V8 holds a source with one character above U+00FF in two bytes per character: the few
 * that the bundler leaves, in comments of packages and in regular expressions, cost the largest function 4 MiB.
 */
function toAscii(source: string): string {
  return source.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Bundles functions into `out`, each into one file with everything it needs, in the versions of the lock.
 *
 * @returns the paths of the files, by slug
 */
export async function bundleFunctions(
  root: string,
  slugs: string[],
  out: string,
): Promise<Map<string, string>> {
  const entries = slugs.map((slug) => `supabase/functions/${slug}/index.ts`);
  await runDeno(root, ["bundle", "--quiet", "--frozen", "--platform=deno", "--outdir", out, ...entries]);
  const files = new Map(slugs.map((slug) => [slug, join(out, slug, "index.js")]));
  for (const file of files.values()) {
    await Deno.writeTextFile(file, NODE_GLOBALS + toAscii(await Deno.readTextFile(file)));
  }
  return files;
}

/** Returns the slugs of the functions whose bundles `supabase/config.toml` deploys. */
export async function deployedSlugs(root: string): Promise<string[]> {
  const config = await Deno.readTextFile(join(root, "supabase", "config.toml"));
  return [...config.matchAll(/^entrypoint = ".*\/([^/"]+)\/index\.js"$/gm)].map(([, slug]) => slug!);
}
