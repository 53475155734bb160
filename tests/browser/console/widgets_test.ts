import assert from "node:assert/strict";
import { CHAT_TEXTS } from "../../../supabase/functions/_shared/widgets/chat_texts.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import { Buffer } from "node:buffer";
import { eventually } from "../../setup/eventually.ts";
import { assertAccessible } from "../browser_page.ts";
import { manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

/** A picture of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

Deno.test(consoleTest(
  "console: changes a widget's colour and texts, which the preview shows before they are stored",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({ texts: { ur: { title: "دکان" } } });
    await console.logIn();
    await console.open("widgets");
    await page.getByRole("link", { name: "Demo chat" }).waitFor();
    await console.open(`widgets/${widgetId}`);
    const preview = page.getByRole("complementary", { name: "Preview" });
    const button = preview.getByRole("img", { name: "Open the chat" });
    const color = () =>
      page.evaluate("getComputedStyle(document.querySelector('.preview-button')).backgroundColor");
    await button.waitFor();
    await eventually(async () => assert.equal(await color(), "rgb(31, 94, 255)"));

    const presses = console.countPresses("change a widget's look");
    await page.getByRole("textbox", { name: "Button and title", exact: true }).fill("#0b7a4b");

    await eventually(async () => assert.equal(await color(), "rgb(11, 122, 75)"));
    const config = async () => (await manage(stack, "GET", `/widgets/${widgetId}`)).config;
    assert.equal((await config()).colors, undefined);
    await page.getByRole("tab", { name: "Texts" }).press("Enter");
    await page.getByLabel("Welcome").fill("Ask the shop");
    await preview.getByText("Ask the shop").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await presses.done();
    assert.deepEqual(await config(), {
      texts: { ur: { title: "دکان" }, en: { welcome: "Ask the shop" } },
      colors: { primary: "#0b7a4b" },
    });
    await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
    await page.getByRole("tabpanel").getByLabel("Language", { exact: true }).selectOption("ur");
    // All but the title, and those that are empty unless a company writes them.
    const missing = Object.values(CHAT_TEXTS.en).filter((text) => text !== "").length - 1;
    await page.getByText(new RegExp(`^${missing} texts are missing in Urdu \\(ur\\): visitors read English`))
      .waitFor();
    assert.match(page.url(), /language=ur/);
  },
));

Deno.test(consoleTest(
  "console: asks before a form with something unsaved is left, and restores it when the member comes back",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({});
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    const restored = page.getByText(/^Restored what you had typed at \d\d:\d\d/);
    await console.logIn();
    await console.open(`widgets/${widgetId}`);
    const before = await name.inputValue();
    await name.fill("Shop");
    await page.getByText("Not saved yet").waitFor();

    await page.getByRole("navigation").getByRole("link", { name: "Campaigns", exact: true }).click();
    await question.getByRole("button", { name: "Not now" }).click();
    assert.equal(await name.inputValue(), "Shop");
    await page.goBack();
    await question.getByRole("button", { name: "Not now" }).click();
    assert.match(page.url(), new RegExp(widgetId));
    const kept = page.waitForResponse(/\/my\/drafts\/widget\//);
    await page.getByRole("navigation").getByRole("link", { name: "Campaigns", exact: true }).click();
    await question.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Campaigns" }).waitFor();
    await kept;

    await console.open(`widgets/${widgetId}`);
    await restored.waitFor();
    assert.equal(await name.inputValue(), "Shop");
    await page.getByRole("button", { name: "Discard" }).first().click();
    await restored.waitFor({ state: "detached" });
    assert.equal(await name.inputValue(), before);
    await console.open("campaigns");
    await page.getByRole("heading", { name: "Campaigns" }).waitFor();
    await console.open(`widgets/${widgetId}`);
    await name.fill("Store");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Store" }).waitFor();
    await console.open("campaigns");
    await page.getByRole("heading", { name: "Campaigns" }).waitFor();
    assert.equal((await manage(stack, "GET", `/my/drafts/widget/${widgetId}`)).draft, null);
  },
));

Deno.test(consoleTest(
  "console: a dialog with something typed asks before it closes",
  async (_stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("knowledge");
    await page.getByRole("button", { name: "Add a document" }).click();
    const form = page.getByRole("dialog", { name: "Add a document" });
    await form.getByLabel("Title").fill("Prices");

    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Not now" })
      .click();
    assert.equal(await form.getByLabel("Title").inputValue(), "Prices");
    await form.getByRole("button", { name: "Not now" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Discard" })
      .click();

    await form.waitFor({ state: "detached" });
  },
));

Deno.test(consoleTest(
  "console: says which of a widget's fields is wrong, and has the line for a page",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({});
    await console.logIn();
    await console.open(`widgets/${widgetId}?tab=limits`);
    await page.getByLabel("Pages that may show it").fill("https://*.shop.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Expected: an origin such as https://shop.example, without wildcards", {
      exact: true,
    }).waitFor();
    await page.getByLabel("Pages that may show it").fill("https://shop.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();

    await page.getByRole("tab", { name: "On a page" }).click();

    const line = await page.getByRole("region", { name: "On a page" }).innerText();
    assert.equal(line, (await manage(stack, "GET", `/widgets/${widgetId}`)).embed);
    assert.match(line, new RegExp(`data-widget="${widgetId}"`));
  },
  { mayComplain: true },
));

/** Calls `fn` with the address of a page of another site that has the bookmark as a link. */
async function withBookmark(
  { address, policy }: { address: string; policy?: string },
  fn: (url: string) => Promise<void>,
): Promise<void> {
  const html = `<!doctype html><title>A shop</title><link rel="icon" href="data:,"><h1>A shop</h1>
    <a href="${address.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">Bookmark</a>`;
  const headers = { "Content-Type": "text/html", ...(policy && { "Content-Security-Policy": policy }) };
  const site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(html, { headers }),
  );
  try {
    await fn(`http://localhost:${site.addr.port}/`);
  } finally {
    await closeServer(site);
  }
}

Deno.test(consoleTest(
  "console: a bookmark puts a widget onto any page, and says so where the page forbids it",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({});
    await console.logIn();
    await console.open(`widgets/${widgetId}?tab=embed`);
    const link = page.getByRole("link", { name: "Test Test" });
    const address = (await link.getAttribute("href"))!;

    await link.click();
    await page.getByText("Drag the link to the bookmarks bar: it works on your website, not here.").waitFor();
    await withBookmark({ address }, async (url) => {
      await page.goto(url);
      await page.getByRole("link", { name: "Bookmark" }).click();
      await page.getByRole("button", { name: "Open the chat" }).click();
      const chat = page.frameLocator("[data-outbound-widget] iframe").frameLocator("iframe");
      await chat.getByRole("textbox").waitFor();
    });
    const policy = "script-src 'unsafe-inline'";
    await withBookmark({ address, policy }, async (url) => {
      await page.goto(url);
      const dialog = page.waitForEvent("dialog");
      const pressed = page.getByRole("link", { name: "Bookmark" }).click();
      const shown = await dialog;
      await shown.dismiss();
      await pressed;
      assert.match(
        shown.message(),
        /^The widget cannot be tested on this page: its Content-Security-Policy forbids/,
      );
    });
  },
  { mayComplain: true },
));

Deno.test(consoleTest("console: adds, edits and removes a document", async (stack, console) => {
  const { page } = console;
  await console.logIn();
  await console.open("knowledge");
  await page.getByRole("button", { name: "Add a document" }).click();
  const form = page.getByRole("dialog", { name: "Add a document" });
  await form.getByLabel("Title").fill("Prices");
  await form.getByLabel("Text").fill("Everything is <b>ten</b> euros.");
  await form.getByLabel("Language").selectOption("en");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Prices" }).click();
  const drawer = page.getByRole("dialog", { name: "Prices" });
  await drawer.getByText("Everything is <b>ten</b> euros.").waitFor();

  await drawer.getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit" });
  assert.equal(await edit.getByLabel("Language").inputValue(), "en");
  await edit.getByLabel("Text").fill("Everything is twelve euros.");
  await edit.getByRole("button", { name: "Save" }).click();
  await drawer.getByText("Everything is twelve euros.").waitFor();
  const titles = async () =>
    (await manage(stack, "GET", "/knowledge")).documents.map(({ title }: { title: string }) => title);
  assert.deepEqual((await titles()).filter((title: string) => title === "Prices").length, 1);
  await drawer.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove “Prices”?" }).getByRole("button", { name: "Remove" })
    .click();
  await page.getByRole("link", { name: "Prices" }).waitFor({ state: "detached" });
  assert.ok(!(await titles()).includes("Prices"));
}));

Deno.test(consoleTest(
  "console: names colours that are hard to read, offers better ones, and shows a widget's look in dark",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({});
    await console.logIn();
    await console.open(`widgets/${widgetId}`);
    const preview = page.getByRole("complementary", { name: "Preview" });
    await preview.waitFor();
    assert.equal(await page.getByText(/is hard to tell from/).count(), 0);

    await page.getByRole("textbox", { name: "Text", exact: true }).fill("#cccccc");
    await page.getByText("“Text” is hard to tell from “Background”: the contrast is 1.6, and 4.5 is needed.")
      .waitFor();
    await page.getByRole("button", { name: /^Use #/ }).first().click();
    await page.getByText(/is hard to tell from/).waitFor({ state: "detached" });
    await page.getByLabel("Light or dark").selectOption("auto");
    await page.getByLabel("Preview in dark").check();
    await eventually(async () =>
      assert.equal(
        await page.evaluate("getComputedStyle(document.querySelector('.preview-panel')).colorScheme"),
        "dark",
      )
    );
    await page.getByLabel("Icon of the button").selectOption("mail");
    await page.getByLabel("Logo in the title").setInputFiles({
      name: "a.png",
      mimeType: "image/png",
      buffer: PNG,
    });
    await preview.locator("img").waitFor();
    await page.getByLabel(/^Play a sound/).check();
    await page.screenshot({ path: "artifacts/console-widget-look.png", fullPage: true });
    await page.getByRole("tab", { name: "Greetings" }).press("Enter");
    await page.getByRole("button", { name: "Add a greeting" }).click();
    await page.getByLabel("Text in").fill("Questions?");
    const greeting = preview.getByRole("button", { name: "Questions?" });
    await greeting.waitFor();
    assert.equal(await page.locator(".preview-panel").count(), 0);
    await page.screenshot({ path: "artifacts/console-widget-greetings.png", fullPage: true });
    await assertAccessible(page.mainFrame());
    await greeting.click();
    await page.locator(".preview-panel").waitFor();
    await page.getByLabel("Text in").fill("Questions about prices?");
    await preview.getByRole("button", { name: "Questions about prices?" }).waitFor();
    await page.getByLabel("Text in").fill("Questions?");
    await page.getByLabel("On pages").fill("/pricing/*");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();

    const { config } = await manage(stack, "GET", `/widgets/${widgetId}`);
    assert.match(config.logo, /^data:image\/png;base64,/);
    assert.match(config.colors.text, /^#[0-9a-f]{6}$/);
    assert.deepEqual({ ...config, logo: "", colors: {} }, {
      colors: {},
      appearance: "auto",
      launcher: { icon: "mail" },
      logo: "",
      features: { sound: true },
      proactive: [{ texts: { en: "Questions?" }, path: "/pricing/*", delay_s: 10 }],
    });
    await page.getByLabel("On pages").fill("pricing");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("a path such as /pricing or /shop/*, with at most five *").waitFor();
  },
  { mayComplain: true },
));
