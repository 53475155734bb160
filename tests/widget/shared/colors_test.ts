import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Color,
  contrast,
  darkColors,
  isColor,
  isDark,
  mix,
  parseColors,
  readableOn,
  textOn,
  unreadablePairs,
} from "../../../widget/shared/colors.ts";

const color = fc.integer({ min: 0, max: 0xffffff }).map((n) =>
  `#${n.toString(16).padStart(6, "0")}` as Color
);

Deno.test("contrast() is what WCAG says", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#777777"), 1);
  assert.equal(contrast("#767676", "#ffffff").toFixed(2), "4.54");
});

Deno.test("textOn() and readableOn() can be read whatever colours a company chose", () => {
  fc.assert(fc.property(color, color, (background, wanted) => {
    assert.ok(contrast(background, textOn(background, wanted)) >= 4.5);
    assert.ok(contrast(background, readableOn(background, wanted)) >= 4.5);
    assert.ok(contrast(background, readableOn(background, wanted, 3)) >= 3);
  }));
});

Deno.test("readableOn() keeps a colour that can be read as it is", () => {
  assert.equal(readableOn("#ffffff", "#1f5eff"), "#1f5eff");
  assert.equal(textOn("#ffffff", "#1c1e21"), "#1c1e21");
});

Deno.test("mix() gives as much of each as it is asked for", () => {
  assert.equal(mix("#ff0000", "#0000ff", 0.5), "#800080");
  assert.equal(mix("#ff0000", "#0000ff", 1), "#ff0000");
});

Deno.test("isColor() takes #rrggbb and nothing else", () => {
  for (const value of ["#FFF", "red", "#12345g", "#1234567", "url(x)", 5, null]) {
    assert.equal(isColor(value), false);
  }
  assert.ok(isColor("#A1b2C3"));
});

Deno.test("darkColors() can be read whatever colours a company chose, and keeps what it chose for dark", () => {
  fc.assert(fc.property(fc.tuple(color, color, color, color, color), color, (chosen, own) => {
    const [primary, secondary, background, text, accent] = chosen;
    const dark = darkColors({ primary, secondary, background, text, accent }, { accent: own, text: "red" });
    assert.equal(dark.accent, own);
    assert.ok(isDark(dark.background));
    if (!isDark(background)) assert.ok(contrast(dark.text, dark.background) >= 4.5);
    if (!isDark(background)) assert.ok(contrast(dark.primary, dark.background) >= 3);
  }));
});

Deno.test("unreadablePairs() names what cannot be told apart, and the nearest colour that can", () => {
  const colors = { ...parseColors({}), text: "#cccccc" as Color };
  const pairs = unreadablePairs(colors);
  assert.deepEqual(pairs.map(({ name, against }) => `${name} ${against}`), [
    "text background",
    "secondary text",
  ]);
  assert.equal(pairs[0]!.ratio.toFixed(1), "1.6");
  assert.ok(contrast(pairs[0]!.better, "#ffffff") >= 4.5);
  assert.deepEqual(unreadablePairs({ ...colors, text: pairs[0]!.better }), []);
  assert.deepEqual(unreadablePairs(parseColors({})), []);
});
