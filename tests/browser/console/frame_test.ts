import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import { assertAccessible } from "../browser_page.ts";
import type { WidgetStack } from "../widget_stack.ts";
import { placeCalls, writeOnWhatsApp } from "./people.ts";
import { type ConsolePage, failNext, manage, sendCampaign, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

const CONSENT = {
  channel: "whatsapp",
  status: "granted",
  method: "website",
  consented_at: "2026-01-31T18:00:00Z",
};

/** Requests besides the page until the log-in can be used; most have less than 1 KB. */
const MAX_FIRST_REQUESTS = 24;

/** A call of the sandbox rings, and is talked. */
const CALL_MS = 40_000;

/** Calls `look` with every screen, each with something on it. */
async function visitScreens(
  stack: WidgetStack,
  { page, open }: ConsolePage,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  // Nothing listens there, so that a delivery has failed.
  await manage(stack, "PUT", "/webhooks", { url: "http://127.0.0.1:9/events", event_types: null });
  const { event_id } = await manage(stack, "POST", "/webhooks/test");
  const entryId = (await manage(stack, "GET", "/audit?action=webhook.created")).audit[0].id;
  await failNext(stack, 1);
  const campaignId = await sendCampaign(stack, {
    name: "A name that is much too long for the column it is shown in",
    recipients: 3,
    first: 7_000_000 + Math.floor(Math.random() * 900_000),
  });
  const [sender] = (await manage(stack, "GET", "/senders?channel=whatsapp")).senders;
  const { templates } = await manage(stack, "GET", "/templates");
  const idOf = (name: string) => templates.find((each: { name: string }) => each.name === name).template_id;
  const heading = (name: string | RegExp) => () => page.getByRole("heading", { name, level: 1 }).waitFor();
  const { widget_id } = (await manage(stack, "GET", "/widgets?kind=chat")).widgets[0];
  const { document_id } = (await manage(stack, "GET", "/knowledge")).documents[0];
  const { user_id } = (await manage(stack, "GET", "/members")).members[0];
  const dialog = () => page.getByRole("dialog").getByRole("definition").first().waitFor();
  const row = () => page.getByRole("link").and(page.locator(".row-link")).first().waitFor();
  const preview = () => page.getByRole("complementary", { name: "Preview" }).waitFor();
  const number = String(34_600_250_009 + 10 * Math.floor(Math.random() * 4000));
  await writeOnWhatsApp(stack, number, "Where is my order?");
  await manage(stack, "POST", "/contacts/consents", { consents: [{ ...CONSENT, number }] });
  const suppressions = [{ number, detail: "Asked by phone" }];
  await manage(stack, "POST", "/contacts/suppressions", { suppressions });
  const { contact_id } = await manage(stack, "POST", "/contacts", {
    ...{ name: "Marta Gil", tags: ["regular"], attributes: { city: "Madrid" } },
    addresses: [{ kind: "number", address: number }],
  });
  const condition = { all: [{ field: "tag", op: "is", value: "regular" }] };
  const { list_id } = await manage(stack, "GET", "/lists").then(({ lists }) =>
    lists[0] ?? manage(stack, "POST", "/lists", { name: "Regulars", condition })
  );
  await placeCalls(stack, "Reminders", [number]);
  const callId = await eventually(async () => {
    const { calls } = await manage(stack, "GET", `/calls?outcome=answered&number=${number}`);
    return (await manage(stack, "GET", `/calls/${calls[0].notification_id}`)).notification_id;
  }, CALL_MS);
  const { conversations } = await manage(stack, "GET", "/conversations?kind=whatsapp");
  const { conversation_id } = conversations[0];
  await manage(stack, "PUT", `/conversations/${conversation_id}/labels`, { labels: ["order", "urgent"] });
  await manage(stack, "POST", `/conversations/${conversation_id}/notes`, { text: "Asked twice already" });
  const screens: [path: string, sign: () => Promise<void>][] = [
    ["webhooks", row],
    [`webhooks?delivery=${event_id}`, dialog],
    ["keys", () => page.getByRole("row", { name: /^pk_|Copy pk_/ }).first().waitFor()],
    ["audit", row],
    ["account", () => page.getByText("You have none").waitFor()],
    [`audit?entry=${entryId}`, dialog],
    ["widgets", row],
    [`widgets/${widget_id}`, preview],
    [`widgets/${widget_id}?tab=texts&language=es`, preview],
    [`widgets/${widget_id}?tab=limits`, preview],
    [`widgets/${widget_id}?tab=embed`, preview],
    ["knowledge", row],
    [`knowledge?document=${document_id}`, dialog],
    ["members", row],
    [`members?member=${user_id}`, dialog],
    ["settings", () => page.getByRole("button", { name: "Add hours" }).waitFor()],
    ["overview", () => page.getByRole("row", { name: /131026/ }).waitFor()],
    ["campaigns", () => page.getByRole("link", { name: /^A name/ }).first().waitFor()],
    [`campaigns/${campaignId}`, () => page.getByRole("row", { name: /not on WhatsApp/ }).waitFor()],
    ["inbox", () => page.getByRole("link", { name: new RegExp(number) }).waitFor()],
    ["inbox?view=calls", () => page.getByText("No caller waits").waitFor()],
    ["contacts", () => page.getByRole("link", { name: "Marta Gil" }).first().waitFor()],
    ["contacts/import", () => page.getByRole("button", { name: "Choose a file" }).waitFor()],
    [`contacts/${contact_id}`, () => page.getByText("“Asked by phone”").waitFor()],
    ["lists", () => page.getByRole("link", { name: "Regulars" }).waitFor()],
    ["lists/new", () => page.getByRole("button", { name: "Add a group" }).waitFor()],
    [`lists/${list_id}`, () => page.getByRole("link", { name: "Marta Gil" }).first().waitFor()],
    ["contacts?tab=suppressions", () => page.getByRole("link", { name: `+${number}` }).waitFor()],
    ["contacts?tab=consents", () => page.getByRole("link", { name: `+${number}` }).waitFor()],
    [`contacts/${number}`, () => page.getByText("“Asked by phone”").waitFor()],
    [`contacts/${number}?tab=consent`, () => page.getByRole("heading", { name: "Opted out" }).waitFor()],
    ["calls", () => page.getByRole("link", { name: `+${number}` }).first().waitFor()],
    ["calls?tab=agents", () => page.getByRole("button", { name: "Disable" }).first().waitFor()],
    [`calls/${callId}`, () => page.getByRole("heading", { name: "What was said" }).waitFor()],
    [
      `inbox?conversation=${conversation_id}`,
      () => page.getByRole("log").getByText("Asked twice already").waitFor(),
    ],
    ["inbox?q=where+is+my", () => page.getByRole("heading", { name: "Messages" }).waitFor()],
    ["senders", () => page.getByRole("row", { name: /WhatsApp|Active/ }).first().waitFor()],
    [`senders/${sender.sender_id}`, () => page.getByText("Id at the platform").waitFor()],
    ["templates", () => page.getByRole("row", { name: /flash_deal/ }).waitFor()],
    [`templates/${idOf("flash_deal")}`, () => page.getByText("The platform rejected it").waitFor()],
    [`templates/${idOf("new_arrivals")}`, () => page.getByRole("figure", { name: "On the phone" }).waitFor()],
    [`templates/new?from=${idOf("flash_deal")}`, heading("Correct a template")],
    ["templates/new?library=true", () => page.getByRole("dialog").getByRole("figure").last().waitFor()],
    [`compose?template=${idOf("order_update")}`, () => checkPeople(page)],
    [
      `campaigns/${campaignId}?tab=recipients`,
      () => page.getByRole("region", { name: "Recipients" }).getByRole("link").first().waitFor(),
    ],
  ];
  for (const [path, sign] of screens) {
    await open(path);
    await sign();
    await look(path);
  }
}

/** Fills in a campaign to two people, one of them with a wrong number, as far as its check. */
async function checkPeople(page: Page): Promise<void> {
  await page.getByRole("figure", { name: "On the phone" }).waitFor();
  await page.getByRole("button", { name: "Type or paste" }).click();
  await page.getByLabel("Contacts").fill("34600700002, Ana, A-1\n+34 600, Luis, A-2");
  await page.getByRole("button", { name: "Use these" }).click();
  await page.getByLabel("{{1}} in the text").waitFor();
  await page.getByLabel("Campaign name").fill("Two people");
  await page.getByRole("button", { name: "Check all rows" }).click();
  await page.getByRole("region", { name: "Rows with problems" }).waitFor();
}

const WIDE = { width: 1280, height: 720 };
const NARROW = { width: 360, height: 740 };

/** Fails when the page has something serious for axe, in light or dark, or is wider than a phone. */
async function assertFitForAll(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await assertAccessible(page.mainFrame());
  }
  await page.setViewportSize(NARROW);
  // A chart is drawn again once it has been told its new width.
  await eventually(async () => {
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), NARROW.width, screen);
  });
  await page.setViewportSize(WIDE);
}

Deno.test(consoleTest(
  "console: no screen has anything serious for axe, light or dark, or is wider than 360 pixels",
  async (stack, console) => {
    const { page } = console;
    const look = (screen: string) => assertFitForAll(page, screen);
    await page.getByLabel("E-mail").waitFor();
    await look("log-in");
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await look("forgotten password");
    await page.getByRole("button", { name: "Go to the log-in" }).click();
    await console.logIn();

    await visitScreens(stack, console, look);

    await console.open("campaigns");
    await page.getByRole("link", { name: /^A name/ }).first().click();
    await page.getByRole("tab", { name: "Recipients" }).click();
    await page.getByRole("region", { name: "Recipients" }).getByRole("link").first().click();
    await page.getByRole("dialog").waitFor();
    await look("recipient");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).waitFor();
    await look("commands");
  },
  { viewport: WIDE, bypassCSP: true },
));

Deno.test(
  consoleTest("console: has its sections in a menu on a phone", async (_stack, console) => {
    const { page } = console;
    await console.logIn();

    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("navigation").waitFor({ state: "hidden" });
  }, { viewport: NARROW }),
);

Deno.test(consoleTest("console: goes on after a log-in where the session ended", async (stack, console) => {
  const { page } = console;
  await console.logIn();
  await console.open("campaigns?channel=voice");
  await page.getByRole("heading", { name: "Campaigns" }).waitFor();
  const headers = { "Access-Control-Allow-Origin": stack.consoleUrl };
  const refusal = { status: 401, json: { error: "unauthorized" }, headers };
  await page.route(/\/manage\//, (route) => route.fulfill(refusal));
  // A screen that was not read yet: what was read a moment ago is not read again.
  await console.open("audit");
  await page.getByText("Your session has ended").waitFor();
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
  await page.unroute(/\/manage\//);

  await console.logIn("Audit");

  assert.match(page.url(), /\/audit$/);
}, { mayComplain: true }));

Deno.test(consoleTest(
  "console: needs nothing for the log-in that the page does not name but the member's language, and reads a screen beside the companies",
  async (stack, console) => {
    const { page } = console;
    const html = await (await fetch(`${stack.consoleUrl}/`)).text();
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) =>
      `${stack.consoleUrl}/${path}`
    );
    const read = await page.evaluate(
      `performance.getEntriesByType("resource").map(({ name }) => name)`,
    ) as string[];
    const unnamed = read.filter((name) => !named.includes(name));
    // Which language the member reads, no page can know.
    assert.equal(unnamed.length, 1, unnamed.join(", "));
    assert.match(unnamed[0]!, /\/assets\/en-\w+\.js$/);
    assert.ok(read.length <= MAX_FIRST_REQUESTS, `${read.length} requests`);
    assert.equal(read.filter((name) => name.endsWith("/config.json")).length, 1);
    await console.logIn();
    await console.open("audit");
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    const companies = Promise.withResolvers<void>();
    await page.route(/\/manage\/companies$/, async (route) => {
      await companies.promise;
      await route.continue();
    });

    const file = page.waitForRequest(/\/assets\/audit-/);
    await page.reload();

    await file;
    assert.equal(await page.getByRole("heading", { name: "Audit" }).count(), 0);
    companies.resolve();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
  },
));

Deno.test(
  consoleTest("console: says that it reconnects, and that it is live again", async (_stack, console) => {
    const { page } = console;
    await page.route(/\/events$/, (route) => route.abort());

    await console.logIn();

    await page.getByRole("button", { name: "Reconnecting" }).waitFor();
    await page.unroute(/\/events$/);
    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
  }, { mayComplain: true }),
);

Deno.test(consoleTest(
  "console: says that it is not live where the service refuses, and follows again when it is pressed",
  async (_stack, console) => {
    const { page } = console;
    const refusal = { error: "not_found", message: "Company not found", request_id: "r" };
    await page.route(/\/events$/, (route) => route.fulfill({ status: 404, json: refusal }));

    await console.logIn();

    await page.getByRole("button", { name: "Not live" }).waitFor();
    await page.unroute(/\/events$/);
    await page.getByRole("button", { name: "Not live" }).click();
    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: a list that was opened during an outage says how old it is, and is read anew after it",
  async (stack, console) => {
    const { page } = console;
    const [before, name] = ["Before", "During"].map((when) => `${when} an outage ${crypto.randomUUID()}`);
    await sendCampaign(stack, { name: before!, recipients: 1 });
    await console.logIn();
    await console.open("campaigns");
    await page.getByRole("link", { name: before! }).waitFor();
    await console.open("templates");
    await page.getByRole("heading", { name: "Templates" }).waitFor();

    await page.route(/\/manage\//, (route) => route.abort());
    await page.getByRole("button", { name: "Live", exact: true }).click();
    await page.getByRole("button", { name: "Paused" }).click();
    await page.getByRole("button", { name: "Reconnecting" }).waitFor();
    await sendCampaign(stack, { name: name!, recipients: 1 });
    await console.open("campaigns");
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    await page.getByRole("button", { name: /Reconnecting as of \d\d:\d\d/ }).waitFor();
    await page.unroute(/\/manage\//);

    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
    await page.getByRole("link", { name: name! }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: warns who is away, and ends the session after half an hour",
  async (_stack, console) => {
    const { page } = console;
    await page.clock.install();
    await console.logIn();
    await page.getByRole("button", { name: "Live", exact: true }).click();
    // A request under way would time out with the clock.
    await page.waitForLoadState("networkidle");

    await page.clock.fastForward("29:30");
    await page.getByRole("alert").getByRole("button", { name: "Stay logged in" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.clock.fastForward("29:20");
    await page.getByRole("alert").waitFor();
    await page.clock.fastForward("01:00");

    await page.getByLabel("Password").waitFor();
    await page.getByText("logged out").waitFor();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
  },
));

Deno.test(consoleTest(
  "console: says that e-mail or password is wrong, and what is missing",
  async (_stack, { page }) => {
    await page.getByRole("button", { name: "Log in" }).click();
    assert.equal(await page.getByText("Fill this in").count(), 2);
    await page.getByLabel("E-mail").fill("nobody@example.com");
    await page.getByLabel("Password").fill("wrong");

    await page.getByLabel("Password").press("Enter");

    await page.getByRole("alert").getByText("E-mail or password is wrong.").waitFor();
  },
  { mayComplain: true },
));

Deno.test(
  consoleTest(
    "console: shows a viewer nothing to press that the API would refuse",
    async (stack, console) => {
      const { page } = console;
      const campaignId = await sendCampaign(stack, { name: "Read only", recipients: 2, first: 8_000_000 });
      await manage(stack, "POST", `/campaigns/${campaignId}/pause`);
      await page.route(/\/manage\/companies$/, async (route) => {
        const response = await route.fetch();
        const { companies } = await response.json();
        await route.fulfill({ response, json: { companies: companies.map(asViewer) } });
      });
      await console.logIn();

      await console.open(`campaigns/${campaignId}`);

      await page.getByRole("heading", { name: "Read only" }).waitFor();
      for (const name of ["Pause", "Resume", "Cancel", "Copy", "Change the time", "Resend failed"]) {
        assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
      }
    },
  ),
);

function asViewer(company: object): object {
  return { ...company, role: "viewer" };
}

Deno.test(consoleTest(
  "console: works from the keyboard, in Spanish, and remembers how it looks",
  async (_stack, console) => {
    const { page } = console;
    await console.logIn();
    await press(page, "g", "c");
    await page.getByRole("heading", { name: "Campaigns" }).waitFor();
    await press(page, "?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await press(page, "Escape", "Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("español");
    await press(page, "Enter");
    await page.getByRole("heading", { name: "Campañas" }).waitFor();
    await press(page, "Control+k");
    await page.getByRole("combobox", { name: "Buscar" }).fill("oscuro");
    await press(page, "Enter");

    await page.reload();

    await page.getByRole("heading", { name: "Campañas" }).waitFor();
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    assert.equal(await page.locator("html").getAttribute("lang"), "es");
  },
));

for (const locale of ["pt-BR", "pt"]) {
  Deno.test(consoleTest(
    `console: speaks Portuguese to a browser of the language ${locale}`,
    async (_stack, { page }) => {
      await page.getByRole("button", { name: "Entrar" }).waitFor();

      assert.equal(await page.locator("html").getAttribute("lang"), "pt");
    },
    { locale },
  ));
}

Deno.test(consoleTest(
  "console: the palette finds people by any spelling, campaigns, templates and messages, one request for each",
  async (stack, console) => {
    const { page } = console;
    const number = String(34_600_550_000 + Math.floor(Math.random() * 9999));
    const spelled = `+${number.slice(0, 2)} ${number.slice(2, 5)} ${number.slice(5, 8)} ${number.slice(8)}`;
    await manage(stack, "POST", "/contacts", {
      name: "Zoe Palette",
      addresses: [{ kind: "number", address: number }],
    });
    await sendCampaign(stack, { name: "Palette spring", recipients: 1, first: 9_300_000 });
    await writeOnWhatsApp(stack, number, "Do you have palette knives?");
    await console.logIn();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const field = page.getByRole("combobox", { name: "Search" });
    const group = (name: string) => page.getByRole("listbox").getByRole("group", { name });

    await field.pressSequentially("palette");

    await group("People").getByRole("option", { name: /Zoe Palette/ }).waitFor();
    await group("Campaigns").getByRole("option", { name: /Palette spring/ }).waitFor();
    await group("Conversations").getByRole("option", { name: /palette knives/ }).waitFor();
    assert.ok(requests.filter((path) => path.endsWith("/contacts")).length <= 2, requests.join(", "));
    await field.fill("order update");
    await group("Templates").getByRole("option", { name: /order_update/ }).first().waitFor();
    await field.fill(spelled);
    await group("People").getByRole("option", { name: /Zoe Palette/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");

    await page.waitForURL(new RegExp(`/contacts/${number}`));
  },
));

/** How the company called its templates. */
const OWN_NAMES = /\b(order_update|flash_deal|new_arrivals)\b/g;

/** A code, the name of a field or a path in a document: nothing that a member reads. */
const TECHNICAL = /\b[a-z]+_[a-z_]+\b|\w+\.\w+\[/;

/** Codes stand in `code` and where the page says that they do; people name templates and campaigns as they like. */
const SPOKEN = `[...document.querySelectorAll("body *")].flatMap((element) => {
  if (element.closest("code, pre, [data-technical], script, .row-link, h1, option, [role=option]")) return [];
  return [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ textContent }) => textContent.trim());
}).filter(Boolean)`;

Deno.test(consoleTest(
  "console: no screen shows the name of a field or a code in its sentences",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    const found: string[] = [];
    const look = async (screen: string) => {
      for (const text of await page.evaluate(SPOKEN) as string[]) {
        if (TECHNICAL.test(text.replaceAll(OWN_NAMES, ""))) found.push(`${screen}: ${text}`);
      }
    };
    await visitScreens(stack, console, look);
    assert.deepEqual([...new Set(found)], []);
  },
  { viewport: WIDE },
));

Deno.test(consoleTest(
  "console: a form begins in its first field, and Escape gives the focus back",
  async (_stack, console) => {
    const { page } = console;
    const focus = page.locator(":focus");
    await console.logIn();
    await console.open("contacts?tab=suppressions");
    const record = page.getByRole("button", { name: "Record an opt-out" });
    await record.press("Enter");
    await page.getByRole("dialog").getByLabel("Person").and(focus).waitFor();
    await press(page, "Escape");
    await record.and(focus).waitFor();
    const account = page.locator("summary");
    await account.press("Enter");
    await press(page, "Tab");
    await page.getByLabel("Theme").and(focus).waitFor();

    await press(page, "Escape");

    await account.and(focus).waitFor();
    assert.equal(await page.getByLabel("Theme").isVisible(), false);
  },
));

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
