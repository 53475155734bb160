import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import { shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

async function openViews(page: Page): Promise<void> {
  await page.locator("summary", { hasText: "Saved views" }).click();
}

async function save(page: Page, name: string): Promise<void> {
  await openViews(page);
  await page.getByRole("button", { name: "Save these filters" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
}

function queryOf(page: Page): string {
  return page.url().split("?")[1] ?? "";
}

Deno.test(consoleTest(
  "console: saves the filters of campaigns under a name, applies, renames and removes them, and takes that back",
  async (_, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("campaigns");
    await page.getByRole("heading", { name: "Campaigns" }).waitFor();
    await openViews(page);
    await page.getByText("No view is saved yet.").waitFor();
    assert.ok(await page.getByRole("button", { name: "Save these filters" }).isDisabled());
    await page.keyboard.press("Escape");
    await console.open("campaigns?open=true&channel=voice");
    await save(page, "Open calls");
    await openViews(page);
    await page.getByRole("button", { name: "Save these filters" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Open calls");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("You have a view with this name already.").waitFor();
    await page.getByRole("dialog").getByLabel("Name").fill("Second");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });

    await console.open("campaigns");
    await openViews(page);
    await page.getByRole("button", { name: "Open calls", exact: true }).click();
    await page.waitForURL(/channel=voice/);
    assert.deepEqual([...new URLSearchParams(queryOf(page))], [["channel", "voice"], ["open", "true"]]);
    await eventually(async () => assert.equal(await page.getByLabel("Channel").inputValue(), "voice"));

    await openViews(page);
    await page.getByRole("button", { name: "Rename Open calls" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Calls");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await openViews(page);
    await page.getByRole("button", { name: "Remove Calls" }).click();
    await page.getByText("The view “Calls” is removed.").waitFor();
    await openViews(page);
    await page.getByRole("button", { name: "Second", exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Calls", exact: true }).count(), 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await openViews(page);
    await page.getByRole("button", { name: "Calls", exact: true }).waitFor();
  },
  // The name that is taken.
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: people and conversations have views of their own",
  async (_, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("contacts?tag=vip&state=reachable");
    await page.getByRole("heading", { name: "Contacts" }).waitFor();
    await save(page, "Reachable VIPs");
    await console.open("inbox?view=all&kind=whatsapp");
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await save(page, "All WhatsApp");
    await console.open("contacts");
    await page.getByRole("heading", { name: "Contacts" }).waitFor();

    await openViews(page);
    await page.getByRole("button", { name: "Reachable VIPs", exact: true }).click();

    await page.waitForURL(/tag=vip/);
    await eventually(async () =>
      assert.equal(await page.getByLabel("Tag", { exact: true }).inputValue(), "vip")
    );
    await console.open("inbox");
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await openViews(page);
    assert.equal(await page.getByRole("button", { name: "Reachable VIPs" }).count(), 0);
    await page.getByRole("button", { name: "All WhatsApp", exact: true }).click();
    await page.waitForURL(/kind=whatsapp/);
    await page.getByRole("link", { name: "All", exact: true }).and(page.locator("[aria-current]")).waitFor();
  },
));
