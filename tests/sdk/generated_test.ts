import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { generateClient } from "../../cli/sdk_generate/typescript/generate_client.ts";
import { renderGo } from "../../cli/sdk_generate/go/generate_go.ts";
import { generatePython } from "../../cli/sdk_generate/python/generate_python.ts";
import { readDocuments, renderDocument } from "../../cli/sdk_generate/read_documents.ts";
import { KEYED_OPERATIONS } from "../../sdk/typescript/src/generated/operation_sets.gen.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

const DOCUMENT = new URL("../../supabase/functions/openapi/document.json", import.meta.url);

const GENERATED = [
  { folder: "sdk/typescript/src/generated", generate: generateClient },
  { folder: "sdk/python/src/outbound/generated", generate: generatePython },
];

for (const { folder, generate } of GENERATED) {
  Deno.test(`${folder} is what \`deno task sdk:generate\` writes`, () =>
    withTempFolder(async (temp) => {
      const fresh = join(temp, "generated");

      await generate(fresh, (await readDocuments()).forClients);

      const committed = await readFiles(fileURLToPath(new URL(`../../${folder}`, import.meta.url)));
      const generated = await readFiles(fresh);
      assert.deepEqual([...committed.keys()], [...generated.keys()]);
      const stale = [...committed].filter(([name, text]) => generated.get(name) !== text)
        .map(([name]) => name);
      assert.deepEqual(stale, [], "run `deno task sdk:generate`");
    }));
}

Deno.test("the generated files of sdk/go are what `deno task sdk:generate` writes", async () => {
  const folder = new URL("../../sdk/go/", import.meta.url);
  const generated = renderGo((await readDocuments()).forClients);

  const names = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name))
    .filter((name) => name.endsWith("_gen.go"));
  assert.deepEqual(names.sort(), Object.keys(generated).sort());
  const committed = await Promise.all(names.map((name) => Deno.readTextFile(new URL(name, folder))));
  const stale = names.filter((name, index) => generated[name] !== committed[index]);
  assert.deepEqual(stale, [], "run `deno task sdk:generate`");
});

Deno.test("the document that GET /openapi returns is what `deno task sdk:generate` writes", async () => {
  const { served } = await readDocuments();

  const isCurrent = await Deno.readTextFile(DOCUMENT) === renderDocument(served);

  assert.ok(isCurrent, "run `deno task sdk:generate`");
});

Deno.test("the Python package has the licence of the project", async () => {
  const [copy, licence] = await Promise.all(
    ["sdk/python/LICENSE", "LICENSE"].map((name) =>
      Deno.readTextFile(new URL(`../../${name}`, import.meta.url))
    ),
  );

  assert.equal(copy, licence);
});

Deno.test("the operations that take an Idempotency-Key are known", () => {
  assert.ok(KEYED_OPERATIONS.has("/notify"));
  assert.ok(KEYED_OPERATIONS.has("/manage/companies/{company_id}/campaigns/{campaign_id}/resend"));
  assert.ok(!KEYED_OPERATIONS.has("/auth"));
});

/** The text of every file below a folder, sorted by name. */
async function readFiles(folder: string): Promise<Map<string, string>> {
  const files: [string, string][] = [];
  const read = async (path: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      const file = join(path, name);
      if (name === "__pycache__") continue;
      if (isDirectory) await read(file);
      else files.push([relative(folder, file), await Deno.readTextFile(file)]);
    }
  };
  await read(folder);
  return new Map(files.sort(([a], [b]) => a < b ? -1 : 1));
}
