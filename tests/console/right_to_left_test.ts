import assert from "node:assert/strict";
import { phone } from "../../console/i18n/format.ts";
import { directionOf, type Language, language } from "../../console/i18n/language.ts";

const STYLES = "console/styles";

/** Properties and values that name a side, which a language that is read from the right does not turn. */
const SIDES = [
  /^(?:margin|padding|border)-(?:left|right)\b/,
  /^(?:left|right):/,
  /^border-(?:top|bottom)-(?:left|right)-radius:/,
  /^(?:text-align|float|clear): (?:left|right);/,
];

/** Four values, of which the second is for the right and the fourth for the left. */
const FOUR_VALUES = /^(?:margin|padding|inset|border-width|border-color): (\S+) (\S+) (\S+) ([^;\s]+);/;

/** A rule for a corner of the company's website is about that corner. */
const OF_A_CORNER = /-(?:left|right)\b/;

function sidesIn(css: string): string[] {
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selector, rule]) =>
    OF_A_CORNER.test(selector!) ? [] : rule!.split("\n").map((line) => line.trim()).filter((line) => {
      const [, , right, , left] = FOUR_VALUES.exec(line) ?? [];
      return SIDES.some((side) => side.test(line)) || right !== left;
    })
  );
}

Deno.test("the console's styles name no side, so that a language may be read from the right", async () => {
  assert.deepEqual(
    sidesIn(".a { top: 0;\n left: 4px;\n padding: 0 1px 2px 3px;\n margin: 0 1px 2px 1px;\n }"),
    [
      "left: 4px;",
      "padding: 0 1px 2px 3px;",
    ],
  );
  const found: Record<string, string[]> = {};
  for await (const { name } of Deno.readDir(STYLES)) {
    const sides = sidesIn(await Deno.readTextFile(`${STYLES}/${name}`));
    if (sides.length > 0) found[name] = sides;
  }

  assert.deepEqual(found, {});
});

Deno.test("directionOf() knows the languages that are read from the right", () => {
  assert.deepEqual(["en", "es", "pt", "ar", "he"].map(directionOf), ["ltr", "ltr", "ltr", "rtl", "rtl"]);
});

Deno.test("phone() keeps the plus sign in front, also within a text that is read from the right", () => {
  const chosen = language.peek();
  try {
    assert.equal(phone("34600111222"), "+34600111222");
    language.value = "ar" as Language;
    assert.equal(phone("34600111222"), "\u2066+34600111222\u2069");
  } finally {
    language.value = chosen;
  }
});
