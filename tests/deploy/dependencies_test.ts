import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);

/** `deno task` downloads all that the lock names before it runs anything, `deno task start` as well. */
const MAX_PACKAGES = 81;
const MAX_BYTES = 150_000_000;

interface LockedPackage {
  integrity: string;
}

async function readJson(path: string): Promise<Record<string, Record<string, string>>> {
  return JSON.parse(await Deno.readTextFile(new URL(path, ROOT)));
}

async function readLock(path: string): Promise<Record<string, LockedPackage>> {
  return JSON.parse(await Deno.readTextFile(new URL(path, ROOT))).npm;
}

/** The packages that import maps name, each with every version that it has there. */
function versionsOf(...maps: Record<string, string>[]): Map<string, Set<string>> {
  const versions = new Map<string, Set<string>>();
  for (const target of maps.flatMap((map) => Object.values(map))) {
    const [, name, version] = /^npm:\/?(@?[^@]+)@([^/]+)/.exec(target)!;
    versions.set(name!, (versions.get(name!) ?? new Set()).add(version!));
  }
  return versions;
}

/** The folder in which Deno keeps the packages of the registry. */
async function packageFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    cwd: fileURLToPath(ROOT),
  }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  return join(npmCache, "registry.npmjs.org");
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all((await Array.fromAsync(Deno.readDir(folder))).map(async (entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory ? await sizeOf(path) : (await Deno.stat(path)).size;
  }));
  return sizes.reduce((sum, size) => sum + size, 0);
}

Deno.test("the first command downloads few packages, and few bytes", async () => {
  const folder = await packageFolder();
  // The names end in the packages that they were resolved with: `hono@4.1.0_zod@4.0.0`.
  const names = Object.keys(await readLock("deno.lock"))
    .map((key) => /^(@?[^@]+)@([^_]+)/.exec(key)!.slice(1).join("/"));

  const sizes = await Promise.all(
    names.map(async (name) => [name, await sizeOf(join(folder, name))] as const),
  );

  assert.ok(
    names.length <= MAX_PACKAGES,
    `${names.length}: packages for tests belong in tests/, others in dev/`,
  );
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
  const largest = sizes.toSorted(([, one], [, other]) => other - one).slice(0, 10).join("\n");
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes, the largest:\n${largest}`);
});

Deno.test("each package has one version, wherever it is named", async () => {
  const maps = await Promise.all(
    ["import_map.json", "tests/import_map.json", "dev/deno.json"].map(readJson),
  );

  const several = [...versionsOf(...maps.map(({ imports }) => imports!))].filter(([, { size }]) => size > 1);

  assert.deepEqual(several, []);
});

Deno.test("tests run with the packages of the service, to the last file", async () => {
  const [service, tests] = await Promise.all(["deno.lock", "tests/deno.lock"].map(readLock));

  const different = Object.keys(service!).filter((name) =>
    service![name]!.integrity !== tests![name]?.integrity
  );

  assert.deepEqual(different, []);
});
