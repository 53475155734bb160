import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { writeOnWhatsApp } from "./people.ts";
import { manage, sendCampaign, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

/** Requests besides the page until the log-in can be used; most have less than 1 KB. */
const MAX_FIRST_REQUESTS = 24;

const NARROW = { width: 360, height: 740 };

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

  const presses = console.countPresses("follow a link through the log-in");
  await console.logIn("Audit");

  assert.match(page.url(), /\/audit$/);
  await presses.done();
}, { mayComplain: true }));

Deno.test(consoleTest(
  "console: says what a link that leads nowhere lacks, and goes back",
  async (_stack, console) => {
    const { page } = console;
    await console.logIn();
    const nowhere = "0192f8a0-1111-7222-8333-444455556666";
    const links = [
      ["contacts/abc", "Enter 7 to 15 digits with the country code"],
      [`contacts/${nowhere}`, "This does not exist"],
      [`campaigns/${nowhere}`, "This does not exist"],
      ["campaigns/abc", "This does not exist"],
      ["nothing", "There is no such page"],
    ] as const;
    for (const [path, says] of links) {
      await console.open(path);
      await page.getByRole("main").getByText(says).waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    }
  },
  { mayComplain: true },
));

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
