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
