import assert from "node:assert/strict";
import { basename } from "node:path";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { App, AppEnv } from "../../supabase/functions/_shared/http/app/context.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { FUNCTIONS, routeFolders } from "../setup/function_folders.ts";
import { withServices } from "../setup/services.ts";

const ROUTE_FILE = /^(get|post|put|patch|delete)_\w+\.ts$/;

async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) files.push(...await filesBelow(`${folder}/${name}`));
    else if (name.endsWith(".ts")) files.push(`${folder}/${name}`);
  }
  return files;
}

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

type Register = (app: App, services: Services) => void;

Deno.test("a route stands in a file of its own, named by its method and the end of its path", () =>
  withServices(async ({ services }) => {
    const folders = (await routeFolders()).map((name) => filesBelow(`${FUNCTIONS}/${name}`));
    const wrong: string[] = [];

    for (const file of (await Promise.all(folders)).flat()) {
      if (!ROUTE_FILE.test(basename(file))) {
        assert.doesNotMatch(await Deno.readTextFile(file), /export function register/, file);
        continue;
      }
      const module: Record<string, unknown> = await import(`file://${file}`);
      const app: App = new OpenAPIHono<AppEnv>();
      const [, register] = Object.entries(module).find(([name]) => name.startsWith("register"))!;
      (register as Register)(app, services);
      const routes = app.routes.filter(({ method }) => method !== "ALL" && method !== "HEAD");
      const names = routes.flatMap(({ method, path }) =>
        namesOf(method.toLowerCase(), path.replaceAll(/:(\w+)/g, "{$1}"))
      );
      if (routes.length !== 1 || !names.includes(basename(file, ".ts"))) {
        wrong.push(`${file}: ${routes.map(({ method, path }) => `${method} ${path}`).join(", ")}`);
      }
    }

    assert.deepEqual(wrong, []);
  }));
