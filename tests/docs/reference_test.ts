import assert from "node:assert/strict";
import { KEY_PERMISSIONS } from "../../supabase/functions/_shared/access/permissions.ts";
import { FAILURE_ADVICE } from "../../supabase/functions/_shared/campaigns/resends/failure_advice.ts";
import { ROW_ADVICE } from "../../supabase/functions/_shared/campaigns/uploads/row_advice.ts";
import { ERROR_STATUS } from "../../supabase/functions/_shared/http/app/respond_error.ts";
import { FUNCTIONS, routeFolders } from "../setup/http/function_folders.ts";
import { blocksOf, codesIn, readPage, tableBelow } from "./read_page.ts";

/** `METHOD /path` of every route, with the file that declares it. */
async function declaredRoutes(): Promise<string[][]> {
  const routes: string[][] = [];
  for (const folder of await routeFolders()) {
    for await (const { name, isFile } of Deno.readDir(`${FUNCTIONS}/${folder}`)) {
      // Those below a company are in docs/manage.md.
      if (!isFile) continue;
      const text = await Deno.readTextFile(`${FUNCTIONS}/${folder}/${name}`);
      const [, method] = /^ {2}method: "(\w+)",$/m.exec(text) ?? [];
      const [, path] = /^ {2}path: "([^"]+)",$/m.exec(text) ?? [];
      if (method && path) routes.push([`${method.toUpperCase()} ${path}`, `${folder}/${name}`]);
    }
  }
  return routes.sort();
}

Deno.test("docs/api.md lists every endpoint with the file it is in, and no other", async () => {
  const rows = tableBelow(await readPage("docs/api.md"), "## Endpoints");
  const listed = rows.map(([endpoint, , file]) => [
    codesIn(endpoint!)[0]!.replace(/\?.*/, ""),
    codesIn(file!)[0]!,
  ]);

  assert.deepEqual(listed.sort(), await declaredRoutes());
});

/** Returns method and path of every request that a page's commands make to the API. */
function requestsOf(page: string): [method: string, path: string][] {
  const commands = blocksOf(page).filter(({ language }) => /^(ba)?sh$/.test(language))
    .map(({ lines }) => lines.join("\n")).join("\n");
  return commands.split(/\bcurl /).slice(1).flatMap((command): [string, string][] => {
    const [, path] = /"\$BASE(\/[^"?]*)/.exec(command) ?? [];
    const method = /-X (\w+)/.exec(command)?.[1] ?? (/\s(-d|--data-binary) /.test(command) ? "POST" : "GET");
    return path === undefined ? [] : [[method, path]];
  });
}

Deno.test("docs/api.md has an example of every endpoint that it lists", async () => {
  const page = await readPage("docs/api.md");
  const requests = requestsOf(page);
  const without = tableBelow(page, "## Endpoints").map(([endpoint]) => codesIn(endpoint!)[0]!).filter(
    (endpoint) => {
      const [method, path] = endpoint.replace(/\?.*/, "").split(" ") as [string, string];
      const form = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "(\\$\\w+|\\d+)")}$`);
      return !requests.some(([used, at]) => used === method && form.test(at));
    },
  );

  assert.deepEqual(without, []);
});

Deno.test("docs/errors.md lists every error code with its status, and no other", async () => {
  const rows = tableBelow(await readPage("docs/errors.md"), "# Errors");
  const listed = rows.flatMap(([status, codes]) => codesIn(codes!).map((code) => [code, Number(status)]));
  const alsoBadGateway = ["service_unavailable", 502];

  assert.deepEqual(listed.sort(), [...Object.entries(ERROR_STATUS), alsoBadGateway].sort());
});

Deno.test("docs/errors.md lists every code of a failed notification, as GET …/failures explains it", async () => {
  const rows = tableBelow(await readPage("docs/errors.md"), "## Codes of failed notifications");
  const known = [...FAILURE_ADVICE].map((
    [code, { meaning, whatToDo, canPass }],
  ) => [`\`${code}\``, meaning, whatToDo, canPass ? "yes" : "no"]);

  assert.deepEqual(rows, known);
});

Deno.test("docs/errors.md lists every code of an upload's rows, as GET …/uploads/{upload_id} explains it", async () => {
  const rows = tableBelow(await readPage("docs/errors.md"), "## Rows of an upload");

  assert.deepEqual(rows, Object.entries(ROW_ADVICE).map(([code, whatToDo]) => [`\`${code}\``, whatToDo]));
});

Deno.test("docs/security.md lists every permission of a key, and no other", async () => {
  const rows = tableBelow(await readPage("docs/security.md"), "## Permissions of a key");

  assert.deepEqual(rows.map(([permission]) => codesIn(permission!)[0]), [...KEY_PERMISSIONS]);
});
