import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);

/** `deno task` downloads all that the lock names before it runs anything, `deno task start` as well. */
const MAX_PACKAGES = 93;

async function readJson(path: string): Promise<Record<string, Record<string, string>>> {
  return JSON.parse(await Deno.readTextFile(new URL(path, ROOT)));
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

Deno.test("the first command downloads few packages", async () => {
  const { npm } = await readJson("deno.lock");

  const count = Object.keys(npm!).length;

  assert.ok(count <= MAX_PACKAGES, `${count}: what only tests, generators or bench/ need belongs in dev/`);
});

Deno.test("each package has one version, wherever it is named", async () => {
  const maps = await Promise.all(["import_map.json", "dev/deno.json"].map(readJson));

  const several = [...versionsOf(...maps.map(({ imports }) => imports!))].filter(([, { size }]) => size > 1);

  assert.deepEqual(several, []);
});
