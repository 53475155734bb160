import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { totpCode } from "../../../local/auth/totp.ts";
import { eventually } from "../../setup/eventually.ts";
import type { WidgetStack } from "../widget_stack.ts";
import { type ConsolePage, manage, sendCampaign, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

/** The tokens that a tab keeps. */
async function tokensOf(page: Page): Promise<{ token: string; refreshToken: string }> {
  return JSON.parse(await page.evaluate(`sessionStorage["outbound-console.session"]`));
}

/** The status of a request with a token, without the page. */
async function statusWith({ apiUrl }: WidgetStack, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${apiUrl}/manage/companies`, { headers });
  await response.body?.cancel();
  return response.status;
}

async function refreshStatus({ apiUrl }: WidgetStack, refresh_token: string): Promise<number> {
  const response = await fetch(`${apiUrl}/auth/refresh`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ refresh_token }),
  });
  await response.body?.cancel();
  return response.status;
}

/** Counts the refreshes of all tabs of a window. */
function countRefreshes(page: Page): { count: number } {
  const seen = { count: 0 };
  page.context().on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/auth/refresh")) seen.count++;
  });
  return seen;
}

/** Refuses the token of the next request for the audit. */
async function refuseAudit({ consoleUrl }: WidgetStack, page: Page): Promise<void> {
  const headers = { "Access-Control-Allow-Origin": consoleUrl };
  await page.route(
    /\/manage\/companies\/[^/]+\/audit/,
    (route) => route.fulfill({ status: 401, json: { error: "unauthorized" }, headers }),
    { times: 1 },
  );
}

/** Lets time pass in all tabs of a window, while the member works in this one. */
async function workFor(page: Page, minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 20) {
    await page.clock.fastForward(Math.min(left, 20) * 60_000);
    await page.keyboard.press("Shift");
  }
}

/** Logs in where the test moves the clock. Without the stream, because it times out with the clock. */
async function logInPaused(console: ConsolePage): Promise<void> {
  const { page } = console;
  await page.clock.install();
  await console.logIn();
  await page.getByRole("button", { name: "Live", exact: true }).click();
  await page.waitForLoadState("networkidle");
}

/** Opens a screen, which makes requests with the token. */
async function read({ page, open }: ConsolePage, path: string, heading: string): Promise<void> {
  await open(path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
}

async function readWithNewToken(console: ConsolePage, path: string, heading: string): Promise<void> {
  const refreshed = console.page.waitForResponse(/\/auth\/refresh$/);
  await read(console, path, heading);
  assert.equal((await refreshed).status(), 200);
}

Deno.test(consoleTest("console: logging out ends the session at the server", async (stack, console) => {
  const { page } = console;
  await console.logIn();
  const { token, refreshToken } = await tokensOf(page);
  assert.equal(await statusWith(stack, token), 200);
  const ended = page.waitForResponse(/\/auth\/logout$/);

  await page.getByLabel("Account").click();
  await page.getByRole("button", { name: "Log out" }).click();

  await page.getByText("You are logged out.").waitFor();
  assert.equal((await ended).status(), 204);
  assert.equal(await statusWith(stack, token), 401);
  assert.equal(await refreshStatus(stack, refreshToken), 401);
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
}));

Deno.test(consoleTest(
  "console: goes on with another token before its own expires, and follows what happens as before",
  async (stack, console) => {
    const { page } = console;
    const refreshes = countRefreshes(page);
    await logInPaused(console);
    const before = await tokensOf(page);
    await workFor(page, 50);
    await read(console, "campaigns", "Campaigns");
    assert.equal(refreshes.count, 0, "too early");

    await workFor(page, 6);
    await readWithNewToken(console, "audit", "Audit");

    assert.equal(refreshes.count, 1);
    const { token } = await eventually(async () => {
      const after = await tokensOf(page);
      assert.notEqual(after.refreshToken, before.refreshToken);
      return after;
    });
    assert.equal(await statusWith(stack, token), 200);
    await console.open("campaigns");
    await page.getByRole("button", { name: "Paused" }).click();
    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
    await sendCampaign(stack, { name: "After the refresh", recipients: 1, first: 9_100_000 });
    await page.getByRole("link", { name: "After the refresh" }).waitFor();
  },
));

Deno.test(consoleTest(
  "console: goes on after its token has expired, and ends where the server does not go on",
  async (stack, console) => {
    const { page } = console;
    await logInPaused(console);
    await workFor(page, 90);
    await readWithNewToken(console, "audit", "Audit");

    const { token } = await tokensOf(page);
    const response = await fetch(`${stack.apiUrl}/auth/logout`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal(response.status, 204);
    await workFor(page, 60);
    await console.open("campaigns");

    await page.getByText("Your session has ended").waitFor();
  },
  { mayComplain: true },
));

/** Opens a copy of a tab: the browser copies its `sessionStorage`. */
async function copyTab(page: Page): Promise<Page> {
  const opened = page.waitForEvent("popup");
  await page.evaluate("void window.open(location.href)");
  const copy = await opened;
  await copy.getByRole("heading", { level: 1 }).waitFor();
  await copy.getByRole("button", { name: "Live", exact: true }).click();
  await copy.waitForLoadState("networkidle");
  return copy;
}

Deno.test(
  consoleTest(
    "console: of two tabs with one session, one gets new tokens for both",
    async (stack, console) => {
      const { page } = console;
      const refreshes = countRefreshes(page);
      await logInPaused(console);
      const copy = await copyTab(page);
      await workFor(page, 56);

      await Promise.all([page, copy].map(async (tab) => {
        await tab.evaluate(`location.hash = "#/${stack.demo.company_id}/audit"`);
        await tab.getByRole("heading", { name: "Audit" }).waitFor();
        await tab.getByRole("link").and(tab.locator(".row-link")).first().waitFor();
      }));

      assert.equal(refreshes.count, 1);
      assert.deepEqual(await tokensOf(copy), await tokensOf(page));
    },
  ),
);

Deno.test(
  consoleTest(
    "console: a tab that wakes with old tokens takes those of another tab",
    async (_stack, console) => {
      const { page } = console;
      const refreshes = countRefreshes(page);
      await logInPaused(console);
      const old = await page.evaluate(`JSON.stringify({ ...sessionStorage })`) as string;
      for (const [path, heading] of [["audit", "Audit"], ["campaigns", "Campaigns"]] as const) {
        await workFor(page, 56);
        await readWithNewToken(console, path, heading);
      }
      assert.equal(refreshes.count, 2);

      const woken = await page.context().newPage();
      await woken.addInitScript(`Object.assign(sessionStorage, ${old})`);
      await woken.goto(page.url());
      await woken.getByRole("heading", { name: "Campaigns" }).waitFor();

      assert.equal(refreshes.count, 2);
      assert.deepEqual(await tokensOf(woken), await tokensOf(page));
    },
  ),
);

Deno.test(consoleTest(
  "console: a person who works in one tab is not away from another, and logging out ends both",
  async (stack, console) => {
    const { page } = console;
    await logInPaused(console);
    const copy = await copyTab(page);
    const { token, refreshToken } = await tokensOf(copy);

    await workFor(page, 40);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.equal(await copy.getByRole("alert").count(), 0);
    assert.equal(await statusWith(stack, token), 200);
    const ended = page.context().waitForEvent(
      "response",
      (response) => response.url().endsWith("/auth/logout"),
    );
    await page.clock.fastForward("31:00");

    assert.equal((await ended).status(), 204);

    for (const tab of [page, copy]) await tab.getByText("You were away for half an hour").waitFor();
    assert.equal(await refreshStatus(stack, refreshToken), 401);
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: a new tab has the session of the others, and logging out ends it in all of them",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    const tab = await page.context().newPage();
    await tab.goto(`${stack.consoleUrl}/#/${stack.demo.company_id}/audit`);
    await tab.getByRole("heading", { name: "Audit" }).waitFor();
    assert.deepEqual(await tokensOf(tab), await tokensOf(page));
    assert.equal(await tab.evaluate("JSON.stringify(localStorage).includes('token')"), false);

    await tab.getByLabel("Account").click();
    await tab.getByRole("button", { name: "Log out" }).click();
    for (const each of [page, tab]) await each.getByText("You are logged out.").waitFor();
    const late = await page.context().newPage();
    await late.goto(stack.consoleUrl);
    await late.getByLabel("E-mail").waitFor();

    await console.logIn();
    await late.getByRole("heading", { name: "Overview" }).waitFor();
    await tab.getByRole("heading", { name: "Audit" }).waitFor();
  },
));

Deno.test(consoleTest(
  "console: a member whose token the API no longer accepts goes on with the next one",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    const refreshes = countRefreshes(page);
    await refuseAudit(stack, page);

    await console.open("audit");

    await page.getByRole("link").and(page.locator(".row-link")).first().waitFor();
    assert.equal(refreshes.count, 1);
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: a member goes on with a next token that reads like the one before, made within the same second",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    const { token } = await tokensOf(page);
    await page.route("**/auth/refresh", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...await response.json(), access_token: token } });
    });
    await refuseAudit(stack, page);

    await console.open("audit");

    await page.getByRole("link").and(page.locator(".row-link")).first().waitFor();
  },
  { mayComplain: true },
));

Deno.test(
  consoleTest("console: a tab that is opened again after a day logs in anew", async (stack, console) => {
    const { page } = console;
    await logInPaused(console);
    const { refreshToken } = await tokensOf(page);
    const kept = await page.evaluate(`JSON.stringify({ ...sessionStorage })`) as string;
    const ended = page.context().waitForEvent(
      "response",
      (response) => response.url().endsWith("/auth/logout"),
    );
    await page.goto("about:blank");
    await page.clock.fastForward("24:00:00");

    await page.addInitScript(`Object.assign(sessionStorage, ${kept})`);
    await page.goto(stack.consoleUrl);

    await page.getByText("You were away for half an hour").waitFor();
    assert.equal((await ended).status(), 204);
    assert.equal(await refreshStatus(stack, refreshToken), 401);
  }),
);

Deno.test(
  consoleTest(
    "console: who forgot the password sets another one by an e-mail's link",
    async (stack, console) => {
      const { page } = console;
      const email = "forgetful@example.com";
      await manage(stack, "POST", "/members", { email, role: "viewer" });
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("button", { name: "Forgot your password?" }).click();
      await page.getByRole("button", { name: "Send the link" }).click();
      await page.getByRole("status").getByText("If there is an account with this address").waitFor();

      const link = await stack.emailedLink(email, "recovery");
      await page.goto(link);
      await page.getByRole("heading", { name: "Set a new password" }).waitFor();
      await page.getByText(email).waitFor();
      await page.getByLabel("New password").fill("short");
      await page.getByRole("button", { name: "Set the password and go on" }).click();
      await page.getByText("Choose another one").waitFor();
      await page.getByLabel("New password").fill("not so short");
      await page.getByRole("button", { name: "Set the password and go on" }).click();
      await page.getByRole("button", { name: "Accept" }).click();
      await page.getByRole("heading", { name: "Overview" }).waitFor();

      await page.getByLabel("Account").click();
      await page.getByRole("button", { name: "Log out" }).click();
      await logInAs(page, email, "not so short");
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.goto("about:blank");
      await page.goto(link);
      await page.getByRole("heading", { name: "This link is not valid any more" }).waitFor();
    },
    { mayComplain: true },
  ),
);

/** Invites a viewer who sets this password by the link, and accepts. */
async function enterAsNewMember(stack: WidgetStack, { page }: ConsolePage, email: string, password: string) {
  await manage(stack, "POST", "/members", { email, role: "viewer" });
  await page.goto(await stack.emailedLink(email, "invite"));
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Set the password and go on" }).click();
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

async function logInAs(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

async function enterCode(page: Page, secret: string, action: string): Promise<void> {
  await page.getByLabel("Code", { exact: true }).fill(totpCode(secret, Date.now()));
  await page.getByRole("button", { name: action }).click();
}

Deno.test(
  consoleTest(
    "console: a member sets up a second factor, is asked for its code, and removes it",
    async (stack, console) => {
      const { page } = console;
      const [email, password] = ["careful@example.com", "a careful password"];
      await enterAsNewMember(stack, console, email, password);
      await page.getByLabel("Account").click();
      await page.getByRole("button", { name: "Your account" }).click();
      await page.getByText("You have none").waitFor();
      await page.getByRole("button", { name: "Set up an app" }).click();
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("img", { name: "QR code for the app" }).waitFor();
      const secret = (await page.getByRole("dialog").locator(".secret code").textContent())!;
      await page.getByLabel("Code", { exact: true }).fill("1");
      await page.getByRole("button", { name: "Finish" }).click();
      await page.getByText("This is not the code").waitFor();
      await enterCode(page, secret, "Finish");
      await page.getByRole("row", { name: /Authenticator app/ }).waitFor();

      await page.getByLabel("Account").click();
      await page.getByRole("button", { name: "Log out" }).click();
      await logInAs(page, email, password);
      await page.getByRole("heading", { name: "Enter your code" }).waitFor();
      assert.equal(await page.getByRole("navigation").count(), 0);
      await enterCode(page, secret, "Go on");
      await page.getByRole("heading", { name: "Your account" }).waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "Your account" }).waitFor();

      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("You have none").waitFor();
    },
    { mayComplain: true },
  ),
);

Deno.test(consoleTest(
  "console: says that companies may be missing while a part of the service does not answer, until it does",
  async ({ demo }, { page, logIn }) => {
    let isMissing = true;
    await page.route(/\/manage\/companies$/, async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers(), ...isMissing && { "x-outbound-missing-cells": "7" } };
      await route.fulfill({ response, headers });
    });
    await logIn();
    await page.getByText("Some of your companies may be missing here.").waitFor();
    await page.evaluate(`location.hash = "#/${demo.company_id.replace(/^./, "f")}/overview"`);
    await page.getByText("There is no such page").waitFor();
    await page.getByText("Some of your companies may be missing here.").waitFor();

    isMissing = false;
    await page.getByRole("button", { name: "Try again" }).click();

    await page.getByText("Some of your companies may be missing here.").waitFor({ state: "detached" });
  },
));

Deno.test(consoleTest(
  "console: does not say that a member has no company while a part of the service does not answer",
  async (_stack, { page, logIn }) => {
    let isMissing = true;
    await page.route(/\/manage\/companies$/, async (route) => {
      if (!isMissing) return await route.continue();
      const response = await route.fetch();
      const headers = { ...response.headers(), "x-outbound-missing-cells": "7" };
      await route.fulfill({ response, headers, json: { companies: [] } });
    });
    const isIn = logIn();
    await page.getByText("Some of your companies may be missing here.").waitFor();
    assert.equal(await page.getByText("You are not a member of any company").count(), 0);

    isMissing = false;
    await page.getByRole("button", { name: "Try again" }).click();

    await isIn;
  },
));
