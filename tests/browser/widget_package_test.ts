import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { bundleForPage, readExamples, withPackedWidget } from "../sdk/packed_widget.ts";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { NONCE, type PackagePage, POLICIES, withPackagePage } from "./package_page.ts";
import { SHARED, shareWidgetStack, type WidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

/** Programs of a page that uses the packed widgets, around the examples of the README. */
const PROGRAMS: Record<string, string> = {
  "function.ts": `import "./chat.ts";`,
  "react.tsx": `import { StrictMode, useState } from "react";
    import { createRoot } from "react-dom/client";
    import { App } from "./App.tsx";
    import { OutboundWidget } from "@outbound/widget/react";
    function Page() {
      const [shown, show] = useState<unknown>(true);
      Object.assign(globalThis, { show });
      return shown === true ? <App /> : shown ? <OutboundWidget {...shown} /> : null;
    }
    createRoot(document.querySelector("main")!).render(<StrictMode><Page /></StrictMode>);`,
  "element.ts": `import "./example.ts";`,
  "own.ts": `import { loadOutbound } from "@outbound/widget";
    Object.assign(globalThis, { loadOutbound });`,
};

/** The bundled programs, with the addresses and ids of the stack. */
const bundles: Record<string, string> = {};

Deno.test.beforeAll(async () => {
  const stack = sharedStack();
  if (!stack) return;
  await withPackedWidget(async (folder) => {
    const { "chat.ts": chat, "App.tsx": app, "element.ts": example } = await readExamples();
    const config = {
      compilerOptions: { jsx: "react-jsx", jsxImportSource: "react", lib: ["dom", "esnext"] },
    };
    const files = {
      ...{ "chat.ts": chat!, "App.tsx": app!, "example.ts": example!, ...PROGRAMS },
      "deno.json": JSON.stringify(config),
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), adapt(text, stack));
    }
    for (const name of Object.keys(PROGRAMS)) bundles[name] = await bundleForPage(folder, name);
  });
});

/** Puts the values of the stack in place of those of the documentation. */
function adapt(text: string, { widgetUrl, demo }: WidgetStack): string {
  return text.replaceAll("https://widgets.example.com", widgetUrl).replaceAll("pk_…", demo.publishable_key)
    .replaceAll("0f8fad5b-d9cb-469f-a165-70867728950e", demo.chat_widget_id);
}

async function withProgram(
  what: string,
  { program, policy = POLICIES.strictDynamic, body = "" }: {
    program?: string;
    policy?: string;
    body?: string;
  },
  fn: (page: PackagePage, stack: WidgetStack) => Promise<void>,
): Promise<void> {
  const stack = sharedStack();
  if (!stack) return skipped(what, "no Chromium found");
  const content = { policy, body: adapt(body, stack), ...(program && { program: bundles[program]! }) };
  await withPackagePage(stack, content, (page) => fn(page, stack));
}

const buttons = (page: Page) => page.locator("[data-outbound-widget] .button");

/** Writes a message in the chat, has it replied to, and returns the lines that the page's console got. */
async function chat(page: Page, { reply }: WidgetStack, text: string): Promise<void> {
  await buttons(page).click();
  const field = page.frameLocator("[data-outbound-widget] iframe").frameLocator("iframe").getByRole(
    "textbox",
  );
  await field.fill(text);
  await field.press("Enter");
  await reply(text, "From the shop");
}

/** Returns the lines that the page logs, from now on. */
function logOf(page: Page): string[] {
  const lines: string[] = [];
  page.on("console", (message) => message.type() === "log" && lines.push(message.text()));
  return lines;
}

const TALK = ["A message of the visitor", "A message of the operator"];

Deno.test(
  "widget package: the function of the README, on a page with a nonce and strict-dynamic",
  SHARED,
  () =>
    withProgram(
      "the function of the package",
      { program: "function.ts" },
      async ({ page, complaints }, stack) => {
        const lines = logOf(page);
        await chat(page, stack, "Written by a function");

        await eventually(() => assert.deepEqual(lines, TALK));
        assert.deepEqual(complaints, []);
      },
    ),
);

Deno.test("widget package: the element of the README", SHARED, async () => {
  const { "page.html": body } = await readExamples();
  await withProgram(
    "the element of the package",
    { program: "element.ts", body: body! },
    async (host, stack) => {
      const { page, complaints } = host;
      const lines = logOf(page);
      await chat(page, stack, "Written into an element");
      await eventually(() => assert.deepEqual(lines, TALK));

      await page.evaluate(`document.querySelector("h1").append(document.querySelector("outbound-widget"))`);
      await page.evaluate(`document.querySelector("outbound-widget").setAttribute("label", "Ask us")`);
      await page.getByRole("button", { name: "Ask us" }).waitFor();
      assert.equal(await buttons(page).count(), 1);
      await page.evaluate(`document.querySelector("outbound-widget").remove()`);
      await eventually(async () => assert.equal(await buttons(page).count(), 0));
      assert.equal(await page.locator("script[data-widget]").count(), 0);
      assert.deepEqual(complaints, []);
    },
  );
});

Deno.test(
  "widget package: the React component of the README, in StrictMode",
  SHARED,
  () =>
    withProgram(
      "the component of the package",
      { program: "react.tsx" },
      async ({ page, complaints }, stack) => {
        const { widgetUrl, demo } = stack;
        const lines = logOf(page);
        await chat(page, stack, "Written in React");
        await eventually(() => assert.deepEqual(lines, TALK));
        assert.equal(await page.locator("script[data-widget]").count(), 1);

        await page.evaluate("show(false)");
        await eventually(async () => assert.equal(await buttons(page).count(), 0));
        const props = { host: widgetUrl, widget: demo.chat_widget_id, customer: demo.publishable_key };
        for (const label of ["One", "Two", "Three"]) {
          await page.evaluate(`show(${JSON.stringify({ ...props, label })})`);
        }
        await page.getByRole("button", { name: "Three" }).waitFor();
        assert.equal(await buttons(page).count(), 1);
        await page.evaluate("show(false)");
        await eventually(async () => assert.equal(await buttons(page).count(), 0));
        await page.evaluate(`show({ host: "no address", widget: "", customer: "" })`);
        assert.deepEqual(complaints, []);
      },
    ),
);

Deno.test("widget package: each script needs the nonce, and gets it", SHARED, () =>
  withProgram(
    "the nonce of the package",
    { program: "own.ts", policy: POLICIES.nonce },
    async ({ page }, { widgetUrl, demo }) => {
      const options = { host: `${widgetUrl}/`, widget: demo.chat_widget_id.toUpperCase() };
      const loaded = { ...options, customer: demo.publishable_key, nonce: NONCE };
      await eventually(async () => assert.ok(await page.evaluate("Boolean(globalThis.loadOutbound)")));

      const result = await page.evaluate(async (given) => {
        const { loadOutbound } = globalThis as unknown as OwnPage;
        const seen: string[] = [];
        const [one, other] = await Promise.all([loadOutbound(given), loadOutbound(given)]);
        for (const name of ["open", "close", "destroy"]) one.on(name, () => seen.push(name));
        one.open();
        one.toggle();
        one.destroy();
        const first = seen.splice(0);
        const again = await loadOutbound({ ...given, label: "Again" });
        again.destroy();
        return [one === other, one.widget, one.mode, first];
      }, loaded);

      assert.deepEqual(result, [true, demo.chat_widget_id, "chat", ["open", "close", "destroy"]]);
      assert.equal(await page.locator("[data-widget], [data-outbound-widget]").count(), 0);
    },
  ));

/** The page of `own.ts`. */
interface OwnPage {
  loadOutbound(options: object): Promise<{
    widget: string;
    mode: string;
    on(name: string, onEvent: () => void): void;
    open(): void;
    toggle(): void;
    destroy(): void;
  }>;
}

Deno.test(
  "widget package: says why there is no widget, and leaves nothing on the page",
  SHARED,
  () =>
    withProgram("refusals of the package", { program: "own.ts" }, async ({ page }, { widgetUrl, demo }) => {
      const options = { host: widgetUrl, widget: demo.chat_widget_id, customer: demo.publishable_key };
      const failures: [object, RegExp][] = [
        [{ ...options, host: "widgets.example.com" }, /^host: expected the address of the widget host/],
        [{ ...options, widget: "no-uuid" }, /^widget: expected the id of a widget, got "no-uuid"$/],
        [{ ...options, customer: "" }, /^customer: expected a publishable key/],
        [{ ...options, customer: "pk_" }, /^The loader refused the options/],
        [{ ...options, customer: "pk_thisisnokeyofanybody" }, /^The API refused the widget/],
        [{ ...options, host: "http://127.0.0.1:9" }, /loader\.js could not be loaded$/],
      ];
      await eventually(async () => assert.ok(await page.evaluate("Boolean(globalThis.loadOutbound)")));
      for (const [each, message] of failures) {
        const failure = page.evaluate(
          (given) =>
            (globalThis as unknown as OwnPage).loadOutbound(given).then(
              () => "shown",
              ({ message }) => message,
            ),
          each,
        );
        assert.match(await failure, message);
      }
      assert.equal(await page.locator("[data-widget], [data-outbound-widget]").count(), 0);

      await page.evaluate((given) => void (globalThis as unknown as OwnPage).loadOutbound(given), options);
      await buttons(page).waitFor();
    }),
);

Deno.test("the script of the documentation runs on a page with a nonce", SHARED, () =>
  withProgram(
    "the script with a nonce",
    {
      policy: POLICIES.strictDynamic,
      body: `<script async nonce="${NONCE}" src="https://widgets.example.com/loader.js" data-customer="pk_…"
        data-widget="0f8fad5b-d9cb-469f-a165-70867728950e"></script>`,
    },
    async ({ page, complaints }) => {
      await buttons(page).click();
      await page.frameLocator("[data-outbound-widget] iframe").frameLocator("iframe").getByRole("textbox")
        .waitFor();
      assert.deepEqual(complaints, []);
    },
  ));
