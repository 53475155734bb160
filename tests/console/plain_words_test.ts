import assert from "node:assert/strict";
import { LANGUAGES } from "../../console/i18n/language.ts";

/** The name of a field, a code, or a path in a document. */
const TECHNICAL = /\b[a-z]+_[a-z_]+\b|\w+\.\w+\[|deno task/;

/** Texts that are technical on purpose: columns of a file, variables, and commands to paste. */
const ON_PURPOSE = /user_id|first_name|order_ready|\{\{|Command$/;

/** Returns every text of a language with the path of its name. */
function textsOf(words: unknown, path: string): [path: string, text: string][] {
  if (typeof words === "string") return [[path, words]];
  if (typeof words === "function") {
    // Numbers serve as texts, too; a choice of words takes any.
    try {
      return textsOf(words(2, 2, 2, 2), path);
    } catch {
      return [];
    }
  }
  if (typeof words !== "object" || words === null) return [];
  return Object.entries(words).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

for (const [code, { load }] of Object.entries(LANGUAGES)) {
  const { words } = await load();

  Deno.test(`no text in ${code} is a code, the name of a field or a command`, () => {
    const texts = textsOf(words, code);
    assert.ok(texts.length > 1000, String(texts.length));
    const technical = texts.filter(([path, text]) =>
      TECHNICAL.test(text) && !ON_PURPOSE.test(text) && !ON_PURPOSE.test(path)
    );
    assert.deepEqual(technical, []);
  });
}
