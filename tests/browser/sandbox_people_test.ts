import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type TestPlatform, useTemplate, withPlatform } from "../local/sandbox/with_platform.ts";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { assertAccessible, withBrowserPage } from "./browser_page.ts";

const ANA = "573001112233";
const offer = { template: useTemplate("offer") };

/** Calls `fn` with the sandbox's page in a browser, with a marketing message on Ana's phone. */
function withPhone(
  what: string,
  fn: (page: Page, platform: TestPlatform) => Promise<void>,
): Promise<void> {
  return withPlatform((platform) =>
    withBrowserPage({ what }, async (page) => {
      await page.goto(platform.url);
      await page.waitForSelector(".live.on");
      await platform.send(offer);
      await page.locator(".ticks.read").waitFor();
      await fn(page, platform);
    })
  );
}

/** The messages from people that were reported. */
function inboundOf({ hooks }: TestPlatform): JsonObject[] {
  return hooks.received.flatMap(({ body }) => body.entry).flatMap(({ changes }) => changes)
    .flatMap(({ value }) => value.messages ?? []);
}

Deno.test("sandbox page: a person replies and presses a quick reply, from the keyboard", () =>
  withPhone("replies on the sandbox page", async (page, platform) => {
    const field = page.getByLabel(`Reply as +${ANA}`);
    await field.fill("Is it *<b>open</b>* now?");
    await field.press("Enter");
    await page.locator(".own strong", { hasText: "<b>open</b>" }).waitFor();
    await eventually(async () => assert.equal(await field.inputValue(), ""));
    assert.equal(await page.locator(".own b").count(), 0);

    await field.fill("\u202egpj.eciovni\u202c");
    await field.press("Enter");
    await page.locator(".own", { hasText: "<U+202E>gpj.eciovni<U+202C>" }).waitFor();

    await page.getByRole("button", { name: "Stop promotions" }).first().press("Enter");

    await page.locator(".own", { hasText: "↩ Stop promotions" }).waitFor();
    await eventually(() =>
      assert.deepEqual(inboundOf(platform).map(({ type }) => type).sort(), ["button", "text", "text"])
    );
  }));

Deno.test("sandbox page: a person stops promotions, hides the number and blocks, and the page shows it", () =>
  withPhone("the choices on the sandbox page", async (page, { send, control }) => {
    await page.getByLabel(`What +${ANA} does`).press("Enter");
    const choose = (name: string) => page.locator(".choices").getByRole("button", { name }).press("Enter");
    await choose("Stop promotions");
    await page.getByText("Promotions stopped").waitFor();
    await send(offer);
    await page.getByText("131050").waitFor();

    await choose("Hide the number");
    await page.getByText("Number hidden: @user.2233").waitFor();
    await choose("Block");
    await page.getByText("Blocked", { exact: true }).waitFor();
    assert.equal(await page.getByLabel(`Reply as +${ANA}`).isDisabled(), true);
    await assertAccessible(page.mainFrame());

    await page.reload();
    await page.locator(".state").first().waitFor();
    assert.deepEqual(await page.locator(".state").allTextContents(), [
      "Promotions stopped",
      "Blocked",
      "Number hidden: @user.2233",
    ]);
    await page.getByLabel(`What +${ANA} does`).press("Enter");
    for (const name of ["Resume promotions", "Unblock", "Show the number"]) await choose(name);
    await eventually(async () => assert.equal(await page.locator(".state").count(), 0));
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".menu[open]").count(), 0);
    const phone = (await control("GET", `phones/${ANA}`)).body;
    assert.deepEqual([phone.stopped, phone.blocked, phone.username], [[], [], null]);
  }));

Deno.test("sandbox page: a fault limits the marketing to every person with 131049", () =>
  withPhone("the limit per person on the sandbox page", async (page, { send }) => {
    await page.locator("select[name=kind]").selectOption("webhook_error");
    await page.locator("input[name=value]").fill("131049");
    await page.locator("select[name=category]").selectOption("MARKETING");
    await page.getByRole("button", { name: "Add fault" }).press("Enter");
    await page.getByText("category MARKETING").waitFor();

    await send(offer);
    await page.locator(".failure", { hasText: "131049" }).waitFor();
    await send();
    await eventually(async () => assert.equal(await page.locator(".ticks.read").count(), 2));
  }));

Deno.test("sandbox page: a person moves, and both phones show it", () =>
  withPhone("a moved number on the sandbox page", async (page, { control }) => {
    await control("POST", `phones/${ANA}/move`, { to: "34600000009" });

    await page.getByText("Moved to +34600000009").waitFor();
    await page.locator(".note", { hasText: "Number changed to +34600000009" }).waitFor();
  }));

Deno.test("sandbox page: a phone that only wrote appears, and a template can be sent to it", () =>
  withPhone("a first message on the sandbox page", async (page, { control, send }) => {
    await control("POST", "inbound", { phone_number_id: "2000", from: "34600000009", text: "Hola" });

    await page.locator(".own", { hasText: "Hola" }).waitFor();
    await control("POST", "phones/34600000009/stop", {});
    await send({ to: "+34600000009", ...offer });
    await page.locator(".failure", { hasText: "131050" }).waitFor();
  }));
