import assert from "node:assert/strict";
import { manage, sendCampaign, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: rotates the access key, shows the new one once, and the old one is refused",
  async (stack, console) => {
    const { page } = console;
    assert.equal(await messageWith(stack.apiUrl, stack.demo.access_key), "Campaign not found");
    await console.logIn();
    await console.open("keys");
    const presses = console.countPresses("rotate the access key");
    await page.getByRole("button", { name: "Rotate" }).click();
    const question = page.getByRole("dialog", { name: "Rotate the access key?" });
    await question.getByRole("button", { name: "Rotate" }).click();
    const shown = page.getByRole("dialog", { name: "The new access key" });
    const key = await shown.locator("code").innerText();
    await presses.done();
    await page.mouse.click(5, 5);
    await shown.getByRole("button", { name: "I have kept it" }).click();

    await sendCampaign({ ...stack, demo: { ...stack.demo, access_key: key } }, {
      name: "New key",
      recipients: 3,
      first: 1_100_000,
    });

    assert.equal(await messageWith(stack.apiUrl, stack.demo.access_key), "Invalid access_key");
    assert.equal(await messageWith(stack.apiUrl, key), "Campaign not found");
    await page.getByRole("row", { name: /Current/ }).getByText("3", { exact: true }).waitFor();
    assert.equal(await page.getByText(key).count(), 0);
    stack.demo.access_key = key;
  },
));

Deno.test(consoleTest("console: copies the access key, which the audit shows", async (stack, console) => {
  const { page } = console;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await console.logIn();
  await console.open("keys");
  const presses = console.countPresses("copy the access key");
  await page.getByRole("button", { name: "Copy the key" }).click();
  await page.getByText("The access key is copied.").waitFor();
  await presses.done();

  assert.equal(await page.evaluate("navigator.clipboard.readText()"), stack.demo.access_key);
  const { audit } = await manage(stack, "GET", "/audit?action=key.shown&limit=1");
  assert.match(audit[0].actor, /^user:/);
}));

Deno.test(consoleTest(
  "console: changes the key's limits, revokes it with a way back, and makes a key for pages",
  async (_stack, console) => {
    const { page } = console;
    await console.logIn();
    let presses = console.countPresses("see the usage");
    await page.getByRole("link", { name: "Keys and usage" }).click();
    await page.getByRole("heading", { name: "Usage", exact: true }).waitFor();
    await presses.done();
    presses = console.countPresses("limit the access key");
    await page.getByRole("button", { name: "Change" }).click();
    const form = page.getByRole("dialog", { name: "Change the access key" });
    await form.getByLabel("Requests per minute").fill("0");
    await form.getByLabel("Requests per minute").press("Enter");
    await form.getByText("Expected: at least 1").waitFor();
    await form.getByLabel("Requests per minute").fill("480");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("480 requests per minute").waitFor();
    await presses.done();

    presses = console.countPresses("revoke the access key");
    await page.getByRole("button", { name: "Revoke" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked", { exact: true }).waitFor();
    await presses.done();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Revoked", { exact: true }).waitFor({ state: "detached" });

    const keys = page.getByRole("region", { name: "Keys for web pages" }).getByRole("row");
    await keys.nth(1).waitFor();
    const before = await keys.count();
    await page.getByRole("button", { name: "Create a key" }).click();
    await keys.nth(before).waitFor();
  },
  { mayComplain: true },
));

/** Both a wrong key and a campaign that is none are 404: the message says which. */
async function messageWith(apiUrl: string, key: string): Promise<string> {
  const url = `${apiUrl}/notify/status?access_key=${key}&campaign_id=${crypto.randomUUID()}`;
  return (await (await fetch(url)).json()).message;
}

Deno.test(consoleTest(
  "console: adds a further key, shows it once, changes, rotates and revokes it, and finds its requests",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("keys");
    await page.getByRole("button", { name: "Add a key" }).click();
    const form = page.getByRole("dialog", { name: "Add a key" });
    await form.getByLabel("Name").fill("Shop");
    await form.getByLabel("Requests per minute").fill("0");
    await form.getByRole("button", { name: "Add a key" }).click();
    await form.getByText("Expected: at least 1").waitFor();
    await form.getByLabel("Requests per minute").fill("30");
    await form.getByRole("button", { name: "Add a key" }).click();
    await form.getByText("Expected: at most 0: the other keys take", { exact: false }).waitFor();
    await manage(stack, "PUT", "/keys", { daily_quota: 50_000, rate_limit: 300 });
    await form.getByLabel("All senders").press("Space");
    await form.getByRole("button", { name: "Add a key" }).click();
    await form.getByText("Choose at least one, or all.").waitFor();
    await form.getByLabel("All senders").press("Space");
    await form.getByRole("button", { name: "Add a key" }).click();
    const shown = page.getByRole("dialog", { name: "The new key" });
    const key = await shown.locator("code").innerText();
    await shown.getByRole("button", { name: "I have kept it" }).click();
    assert.equal(await page.getByText(key).count(), 0);
    assert.equal(await messageWith(stack.apiUrl, key), "Campaign not found");

    await page.getByRole("link", { name: "Shop" }).click();
    await page.getByRole("heading", { name: "Shop" }).waitFor();
    await page.getByText("30 requests per minute").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    const change = page.getByRole("dialog", { name: "Change “Shop”" });
    await change.getByLabel("Name").fill("Shop and till");
    await change.getByLabel("Ends at").fill("2031-01-30T18:00");
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Shop and till" }).waitFor();
    await page.getByText("30 Jan 2031").first().waitFor();

    await page.getByRole("button", { name: "Rotate" }).click();
    const rotate = page.getByRole("dialog", { name: "Rotate “Shop and till”?" });
    await rotate.getByLabel("Hours for which the old key still works").fill("24");
    await rotate.getByRole("button", { name: "Rotate" }).click();
    const rotated = page.getByRole("dialog", { name: "The new access key" });
    await rotated.getByText("The old key works until").waitFor();
    const second = await rotated.locator("code").innerText();
    await rotated.getByRole("button", { name: "I have kept it" }).click();
    await page.getByText("Old key works until").waitFor();
    for (const each of [key, second]) {
      assert.equal(await messageWith(stack.apiUrl, each), "Campaign not found");
    }

    await page.getByRole("button", { name: "Keep bodies" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Keep bodies" }).click();
    await page.getByText("Bodies are kept from now on.").waitFor();
    await page.getByRole("search").getByLabel("Result").selectOption("Refused");
    await page.getByLabel("Code").fill("not_found");
    await page.getByRole("row", { name: /GET \/notify\/status 404 not_found/ }).first().waitFor();
    await page.getByRole("link", { name: "GET /notify/status" }).first().click();
    const drawer = page.getByRole("dialog", { name: "Request" });
    await drawer.getByText("404 not_found").waitFor();
    await drawer.getByText("None was kept.").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Keep no bodies" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Keep no bodies" }).click();
    await page.getByText("No bodies are kept.").waitFor();
    await page.getByLabel("Path").fill("/nothing");
    await page.getByText("No request fits these filters").waitFor();

    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Rotate" }).count(), 0);
    assert.equal(await messageWith(stack.apiUrl, second), "Invalid access_key");
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: creates the test company, which says on every screen what it is, and has no screen that it needs not",
  async (_stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("keys");
    await page.getByRole("button", { name: "Create the test company" }).click();
    await page.getByText("The test company was created.").waitFor();
    await page.getByRole("link", { name: "Go to the test company" }).click();

    const banner = page.getByText("nothing reaches a person", { exact: false });
    await banner.waitFor();
    await page.getByRole("banner").getByText("Test", { exact: true }).waitFor();
    const screens = page.getByRole("navigation", { name: "Sections" }).getByRole("link");
    assert.deepEqual(await screens.allInnerTexts(), [
      "Overview",
      "Campaigns",
      "Templates",
      "Contacts",
      "Lists",
      "Webhook",
      "Keys and usage",
      "Settings",
      "Audit",
    ]);
    await page.getByRole("button", { name: "Add a key" }).click();
    const form = page.getByRole("dialog", { name: "Add a key" });
    assert.equal(await form.getByLabel("voice_notifications").count(), 0);
    await form.getByLabel("Name").fill("CI");
    await form.getByRole("button", { name: "Add a key" }).click();
    const shown = page.getByRole("dialog", { name: "The new key" });
    assert.match(await shown.locator("code").innerText(), /^outbound_test/);
    await shown.getByRole("button", { name: "I have kept it" }).click();
    for (const name of await screens.allInnerTexts()) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await banner.waitFor();
      assert.equal(await page.getByRole("alert").count(), 0, name);
    }
    const id = /#\/([^/]+)/.exec(page.url())![1];
    await page.goto(page.url().replace(/#.*/, `#/${id}/inbox`));
    await page.getByText("A test company has nothing of the kind.", { exact: false }).waitFor();
    await page.getByRole("main").getByRole("link", { name: /^Go to / }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Inbox" }).waitFor();
    assert.equal(await banner.count(), 0);
  },
));

Deno.test(consoleTest(
  "console: warns an owner of a key that ends within two weeks, on the overview and beside the keys",
  async (stack, console) => {
    const { page } = console;
    await manage(stack, "PUT", "/keys", { daily_quota: 50_000, rate_limit: 300 });
    const add = (name: string, days: number) =>
      manage(stack, "POST", "/keys/further", {
        ...{ name, permissions: ["reports"], rate_limit: 1, daily_quota: 0 },
        expires_at: new Date(Date.now() + days * 86_400_000).toISOString(),
      });
    await add("Partner", 10);
    await add("Auditor", 40);
    await console.logIn();
    const warning = page.getByRole("link", { name: "The key “Partner” ends", exact: false });
    await warning.waitFor();
    assert.equal(await page.getByText("The key “Auditor” ends", { exact: false }).count(), 0);
    await console.open("keys");
    await warning.click();

    await page.getByRole("heading", { name: "Partner" }).waitFor();
  },
));
