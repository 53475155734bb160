import assert from "node:assert/strict";
import { ERROR_STATUS } from "../supabase/functions/_shared/errors.ts";
import { FUNCTIONS, routeFolders } from "./setup/function_folders.ts";

const README = await Deno.readTextFile(new URL("../README.md", import.meta.url));

/** The rows of the table below a heading, cells trimmed, without the table's own head. */
function tableBelow(heading: string): string[][] {
  const [, section = ""] = README.split(`\n## ${heading}\n`);
  const lines = section.split("\n## ")[0]!.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
}

/** `METHOD /path` of every route, with the file that declares it. */
async function declaredRoutes(): Promise<string[][]> {
  const routes: string[][] = [];
  for (const folder of await routeFolders()) {
    for await (const { name } of Deno.readDir(`${FUNCTIONS}/${folder}`)) {
      const text = await Deno.readTextFile(`${FUNCTIONS}/${folder}/${name}`);
      const [, method] = /^ {2}method: "(\w+)",$/m.exec(text) ?? [];
      const [, path] = /^ {2}path: "([^"]+)",$/m.exec(text) ?? [];
      if (method && path) routes.push([`${method.toUpperCase()} ${path}`, `${folder}/${name}`]);
    }
  }
  return routes.sort();
}

Deno.test("README.md lists every endpoint with the file it is in, and no other", async () => {
  const listed = tableBelow("Endpoints").map(([endpoint, , file]) => [
    codesIn(endpoint!)[0]!.replace(/\?.*/, ""),
    codesIn(file!)[0]!,
  ]);

  assert.deepEqual(listed.sort(), await declaredRoutes());
});

Deno.test("README.md lists every error code with its status, and no other", () => {
  const listed = tableBelow("Errors").flatMap(([status, codes]) =>
    codesIn(codes!).map((code) => [code, Number(status)])
  );
  const alsoBadGateway = ["service_unavailable", 502];

  assert.deepEqual(listed.sort(), [...Object.entries(ERROR_STATUS), alsoBadGateway].sort());
});

Deno.test("README.md lists every setting, and no other", async () => {
  const source = await Deno.readTextFile(`${FUNCTIONS}/_shared/env.ts`);
  const [, schema = ""] = /^const envSchema = z\.object\(\{\n(.*?)^\}\);/ms.exec(source) ?? [];
  const declared = [...schema.matchAll(/^ {2}([A-Z_]+): /gm)].map((match) => match[1]!);
  const listed = tableBelow("Settings").map(([variable]) => codesIn(variable!)[0]!);

  assert.ok(declared.length > 0);
  assert.deepEqual(listed.sort(), declared.sort());
});
