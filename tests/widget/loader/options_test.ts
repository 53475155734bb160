// deno-lint-ignore-file no-console -- what it is warned of is under test
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseFlag, parseKey, readAttributes } from "../../../widget/loader/options.ts";

const WIDGET = "7f1f0a52-6a0c-4f7e-9d58-0c9f8d0f1a2b";

/** Returns the warnings on the console during `work`. */
function warnings(work: () => void): string[] {
  const [original, texts] = [console.warn, [] as string[]];
  console.warn = (...parts: unknown[]) => texts.push(parts.join(" "));
  try {
    work();
  } finally {
    console.warn = original;
  }
  return texts;
}

Deno.test("readAttributes() takes what is given and the defaults for the rest", () => {
  assert.deepEqual(readAttributes({ customer: " pk_abcdefgh ", widget: WIDGET.toUpperCase() }), {
    customer: "pk_abcdefgh",
    widget: WIDGET,
    mode: "chat",
    lang: undefined,
    api: undefined,
    showClose: true,
    open: false,
    direct: false,
    placement: undefined,
    label: undefined,
    color: undefined,
  });
  const all = {
    mode: "VOICE",
    lang: "pt-BR",
    api: "https://api.example.com/functions/v1/",
    showClose: "false",
  };
  const read = readAttributes({
    ...{ customer: "pk_abcdefgh", widget: WIDGET, open: "", position: "top-left", label: "Help" },
    ...all,
  });
  assert.deepEqual(
    [read?.mode, read?.lang, read?.api, read?.showClose, read?.open, read?.placement, read?.label],
    ["voice", "pt-BR", "https://api.example.com/functions/v1", false, true, "top-left", "Help"],
  );
});

Deno.test("readAttributes() says what it cannot use, with our prefix, and goes on where it can", () => {
  const texts = warnings(() => {
    const read = readAttributes({
      ...{ customer: "pk_abcdefgh", widget: WIDGET, mode: "video", lang: "<b>", api: "javascript:alert(1)" },
      ...{ showClose: "perhaps", position: "middle" },
    });
    assert.deepEqual([read?.mode, read?.lang, read?.api, read?.showClose, read?.placement], [
      "chat",
      undefined,
      undefined,
      true,
      undefined,
    ]);
  });

  assert.equal(texts.length, 5);
  assert.ok(texts.every((text) => text.startsWith("[outbound] data-")));
});

Deno.test("readAttributes() gives nothing without a key or a widget, and never shows the key", () => {
  const texts = warnings(() => {
    assert.equal(readAttributes({ customer: "pk_abcdefgh" }), undefined);
    assert.equal(readAttributes({ widget: WIDGET, customer: "my secret?" }), undefined);
  });

  assert.equal(texts.length, 2);
  assert.ok(texts.every((text) => !text.includes("secret")));
});

Deno.test("readAttributes() never throws", () => {
  const value = fc.option(fc.string({ unit: "binary" }), { nil: undefined });
  const names = ["mode", "customer", "widget", "lang", "api", "showClose", "open", "position", "label"];
  const data = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  warnings(() => fc.assert(fc.property(data, (each) => void readAttributes(each))));
});

Deno.test("parseFlag() takes an attribute without a value as yes", () => {
  assert.deepEqual(["", "true", "FALSE", null].map((value) => parseFlag("data-x", value, false)), [
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("parseKey() takes keys of both kinds", () => {
  assert.equal(parseKey("outbound_AZ-09_az"), "outbound_AZ-09_az");
});
