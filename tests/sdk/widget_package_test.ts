import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT, run } from "./packed_client.ts";
import { bundleForPage, REACT, readExamples, withPackedWidget } from "./packed_widget.ts";

/** Imports everything where there is no page, and renders the component. */
const ON_A_SERVER = `
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { loadOutbound } from "@outbound/widget";
import { defineOutboundElement } from "@outbound/widget/element";
import { OutboundWidget } from "@outbound/widget/react";

const options = { host: "https://widgets.example.com", widget: "x", customer: "pk_test" };
const loaded = await loadOutbound(options);
defineOutboundElement();
console.log(JSON.stringify([loaded ?? null, renderToString(createElement(OutboundWidget, options))]));
`;

for (const react of Object.values(REACT)) {
  Deno.test(`the packed widgets do nothing on a server, with React ${react}`, () =>
    withPackedWidget(async (folder) => {
      await Deno.writeTextFile(join(folder, "server.mjs"), ON_A_SERVER);

      assert.deepEqual(JSON.parse(await run("node", ["server.mjs"], folder)), [null, ""]);
    }, { react }));
}

/** Compile-time assertions: `@ts-expect-error` is itself an error above a line without one. */
const TYPES = `
import { loadOutbound, type WidgetEvents } from "@outbound/widget";
import { defineOutboundElement } from "@outbound/widget/element";
import { OutboundWidget } from "@outbound/widget/react";
import { createElement } from "react";

const options = { host: "https://widgets.example.com", widget: "x", customer: "pk_test" };
const chat = await loadOutbound({ ...options, mode: "voice", position: "top-left", identity: { user_id: "1" } });
// @ts-expect-error On a server there is none.
chat.open();
const stop: (() => void) | undefined = chat?.on("unread", ({ count }) => count.toFixed());
// @ts-expect-error There is no such event.
chat?.on("opened", () => {});
// @ts-expect-error This event has no author.
chat?.on("open", ({ author }) => author);
// @ts-expect-error The key is required.
await loadOutbound({ host: "https://widgets.example.com", widget: "x" });
// @ts-expect-error There is no such kind.
await loadOutbound({ ...options, mode: "video" });
addEventListener("outbound:message", ({ detail }) => detail.author satisfies "visitor" | "operator" | "system");
window.outbound?.open("chat");
defineOutboundElement();
document.createElement("outbound-widget").addEventListener("outbound:unread", ({ detail }) => detail.count.toFixed());
createElement(OutboundWidget, { ...options, onMessage: ({ author }) => author, onLoad: (widget) => widget.open() });
// @ts-expect-error There is no such property.
createElement(OutboundWidget, { ...options, onOpened: () => {} });
export const names: (keyof WidgetEvents)[] = ["message", "handoff"];
console.log(stop);
`;

Deno.test("the types of the packed widgets fit a strict project, and so do the examples of the README", () =>
  withPackedWidget(async (folder) => {
    const { "chat.ts": chat, "App.tsx": app, "element.ts": element } = await readExamples();
    const files = { "strict.ts": TYPES, "chat.ts": chat!, "App.tsx": app!, "element.ts": element! };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    const compiler = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
    const libraries = ["--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--jsx", "react-jsx"];

    for (const modules of [["nodenext", "nodenext"], ["esnext", "bundler"]] as const) {
      const how = ["--module", modules[0], "--moduleResolution", modules[1]];
      const program = ["run", "-A", "--quiet", "--frozen", join(ROOT, "dev", "tsc.ts")];
      await run(
        Deno.execPath(),
        [...program, ...compiler, ...libraries, ...how, ...Object.keys(files)],
        folder,
      );
    }
  }));

Deno.test("a bundler leaves out what a page imports of the packed widgets and does not use", () =>
  withPackedWidget(async (folder) => {
    const unused = `import "@outbound/widget"; import { loadOutbound } from "@outbound/widget";
      import { defineOutboundElement } from "@outbound/widget/element"; console.log("page");`;
    await Deno.writeTextFile(join(folder, "unused.ts"), unused);
    await Deno.writeTextFile(join(folder, "used.ts"), `export { loadOutbound } from "@outbound/widget";`);

    assert.doesNotMatch(await bundleForPage(folder, "unused.ts"), /outbound/);
    const used = await bundleForPage(folder, "used.ts");
    assert.match(used, /loader\.js/);
    assert.doesNotMatch(used, /customElements|useEffect/);
  }));
