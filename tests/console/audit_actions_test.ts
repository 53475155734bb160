import assert from "node:assert/strict";
import { auditWords } from "../../console/i18n/audit_words.ts";
import { LANGUAGE_NAMES } from "../../console/i18n/language.ts";

const ACTION = /(?<=["'])[a-z_]+\.[a-z_]+(?=["'])/g;

/** A call that writes to the audit, an entry for it, and a name that is chosen before the call. */
const WRITES = [
  /(?:write_?audit|audit_?change)\((?:[^;]{0,500})/gi,
  /\baction: "[a-z_.]+"/g,
  /const action =[^;]+;/g,
];

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`);
    else if (/\.(sql|ts)$/.test(name)) yield `${folder}/${name}`;
  }
}

function actionsIn(source: string): string[] {
  return WRITES.flatMap((written) => source.match(written) ?? []).flatMap((text) => text.match(ACTION) ?? []);
}

Deno.test("the audit has words for each action that the service writes, in every language", async () => {
  const written = new Set<string>();
  for (const root of ["supabase/schemas", "supabase/functions"]) {
    for await (const file of filesIn(root)) {
      for (const action of actionsIn(await Deno.readTextFile(file))) written.add(action);
    }
  }
  assert.ok(written.has("campaign.paused") && written.has("key.revoked"), "they are not found any more");
  for (const [code] of LANGUAGE_NAMES) {
    assert.deepEqual(Object.keys(auditWords(code).actions).sort(), [...written].sort(), code);
  }
});
