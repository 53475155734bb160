import assert from "node:assert/strict";
import { basename } from "node:path";
import { FUNCTIONS } from "../setup/http/function_folders.ts";
import { listRouteFiles, readRouteFile } from "../setup/http/route_files.ts";
import { withServices } from "../setup/stack/services.ts";

function singular(word: string): string {
  return word.replace(/ies$/, "y").replace(/s$/, "");
}

/** Returns `<method>_<words of the path's end>`, shortest first; a last parameter stands for one of what precedes it. */
function namesOf(method: string, path: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  const parameter = /^\{(\w+?)(_id)?\}$/.exec(segments.at(-1) ?? "")?.[1];
  const words = segments.filter((segment) => !segment.startsWith("{"))
    .map((segment) =>
      segment.replaceAll(/[-.]/g, "_").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    );
  const last = words.pop() ?? "";
  const ends = parameter === undefined ? [last] : [singular(last), parameter, `${last}_by_path`];
  return ends.flatMap((end) =>
    [end, ...words.map((_, index) => [...words.slice(words.length - 1 - index), end].join("_"))]
      .flatMap((
        name,
      ) => [name, name.replace(/\w+(?=_)/, (nouns) => nouns.split("_").map(singular).join("_"))])
      .map((name) => `${method}_${name}`)
  );
}

Deno.test("a route stands in a file of its own, named by its method and the end of its path", () =>
  withServices(async ({ services }) => {
    const [routeFiles, others] = await listRouteFiles();

    for (const file of others) {
      assert.doesNotMatch(await Deno.readTextFile(`${FUNCTIONS}/${file}`), /export function register/, file);
    }
    const files = await Promise.all(routeFiles.map((file) => readRouteFile(file, services)));
    const wrong = files.filter(({ file, routes }) => {
      const names = routes.flatMap(({ method, path }) => namesOf(method.toLowerCase(), path));
      return routes.length !== 1 || !names.includes(basename(file, ".ts"));
    });
    assert.deepEqual(wrong, []);
  }));
