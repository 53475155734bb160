import assert from "node:assert/strict";
import fc from "fast-check";
import { type Color, contrast, isColor, mix, readableOn, textOn } from "../../../widget/shared/colors.ts";

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
