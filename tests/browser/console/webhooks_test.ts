import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { manage, sendCampaign, shareConsole } from "./console_page.ts";
import { startReceiver } from "./webhook_receiver.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: sets a webhook, shows its secret once, and explains and replays a failed delivery",
  async (stack, console) => {
    await using receiver = startReceiver();
    const { page } = console;
    await console.logIn();
    await console.open("webhooks");
    let presses = console.countPresses("set the webhook");
    await page.getByRole("button", { name: "Set the webhook" }).click();
    const form = page.getByRole("dialog", { name: "Set the webhook" });
    await form.getByLabel("URL").fill("nothing of use");
    await form.getByLabel("URL").press("Enter");
    await form.getByText("a public URL that begins with https://").waitFor();
    await form.getByLabel("URL").fill(receiver.url);
    for (const [event, isChosen] of [["All events", false], ["notification.sent", true]] as const) {
      await form.getByLabel(event).press("Space");
      assert.equal(await form.getByLabel(event).isChecked(), isChosen);
    }
    await form.getByRole("button", { name: "Save" }).click();
    const secret = page.getByRole("dialog", { name: "The webhook's secret" });
    assert.match(await secret.locator("code").innerText(), /^whsec_/);
    await secret.getByRole("button", { name: "I have kept it" }).click();
    await secret.waitFor({ state: "detached" });
    await presses.done();

    await sendCampaign(stack, { name: "Told", recipients: 1, first: 1_000_000 });

    await page.getByText("tries failed in a row", { exact: false }).or(page.getByText("The last try failed."))
      .waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("link", { name: /^Webhook Failing failed in a row: \d/ }).click();
    presses = console.countPresses("see why a delivery failed");
    await page.getByRole("link", { name: "notification.sent" }).first().click();
    const drawer = page.getByRole("dialog", { name: "notification.sent" });
    await drawer.getByText("the order database is down").first().waitFor();
    await drawer.getByText("503", { exact: true }).first().waitFor();
    await presses.done();
    assert.match(page.url(), /delivery=evt_/);
    receiver.accept();
    presses = console.countPresses("deliver an event again");
    await drawer.getByRole("button", { name: "Deliver again" }).click();
    await drawer.getByText("thanks").waitFor();
    await presses.done();
    await drawer.getByText("Delivered", { exact: true }).first().waitFor();
    assert.match(page.url(), new RegExp(`delivery=${receiver.accepted[0]}`));
    await page.keyboard.press("Escape");
    await page.getByRole("row", { name: /notification\.sent Delivered 200/ }).waitFor();
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: tests the webhook, replays what failed, and switches it off",
  async (stack, console) => {
    await using receiver = startReceiver();
    const { page } = console;
    await manage(stack, "PUT", "/webhooks", { url: receiver.url, event_types: null });
    await console.logIn();
    await console.open("webhooks");

    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("dialog", { name: "Send a test" }).getByRole("button", { name: "Send" }).click();
    const result = page.getByRole("dialog", { name: "The endpoint did not accept it" });
    await result.getByText("the order database is down").waitFor();
    await result.getByRole("button", { name: "Close" }).click();
    await page.getByLabel("Event", { exact: true }).selectOption("webhook.test");
    await page.getByRole("row", { name: /webhook\.test/ }).waitFor();
    assert.match(page.url(), /type=webhook\.test/);
    receiver.accept();
    await page.getByRole("button", { name: "Replay failed" }).click();
    await page.getByRole("dialog", { name: "Replay failed" }).getByRole("button", { name: "Deliver again" })
      .click();
    await eventually(() => assert.ok(receiver.accepted.length > 0));
    await page.getByRole("row", { name: /webhook\.test Delivered 200/ }).waitFor();

    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch it off" }).click();

    await page.getByText("The webhook is off. Events are not kept for it.", { exact: false }).waitFor();
    const { webhook } = await manage(stack, "GET", "/webhooks");
    assert.equal(webhook.is_active, false);
  },
));

Deno.test(consoleTest(
  "console: adds a further webhook, tests it with a chosen event, changes, rotates, stops and removes it",
  async (stack, console) => {
    await using receiver = startReceiver();
    receiver.accept();
    const { page } = console;
    await console.logIn();
    await console.open("webhooks");
    await page.getByRole("button", { name: "Add a webhook" }).click();
    const form = page.getByRole("dialog", { name: "Add a webhook" });
    await form.getByLabel("Name").fill("Shop");
    await form.getByLabel("URL").fill("nothing of use");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("a public URL that begins with https://").waitFor();
    await form.getByLabel("URL").fill(receiver.url);
    await form.getByLabel("Any channel").press("Space");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Choose at least one of each, or any.").waitFor();
    await form.getByLabel("WhatsApp").press("Space");
    await form.getByRole("button", { name: "Save" }).click();
    const secret = page.getByRole("dialog", { name: "The webhook's secret" });
    const text = await secret.locator("code").innerText();
    assert.match(text, /^whsec_/);
    await secret.getByRole("button", { name: "I have kept it" }).click();

    await page.getByRole("link", { name: "Shop" }).click();
    await page.getByRole("heading", { name: "Shop", level: 1 }).waitFor();
    await page.getByRole("definition").getByText("WhatsApp").waitFor();
    await page.getByRole("button", { name: "Send a test" }).click();
    const test = page.getByRole("dialog", { name: "Send a test" });
    await test.getByLabel("Event").selectOption("message.received");
    await test.getByRole("button", { name: "Send" }).click();
    const result = page.getByRole("dialog", { name: "The endpoint accepted it" });
    await result.getByText("Headers of the request").click();
    await result.getByText("webhook-signature: v1,", { exact: false }).waitFor();
    await result.getByRole("button", { name: "Close" }).click();
    await page.getByText("100% of 1 try succeeded.").waitFor();
    await page.getByRole("link", { name: "message.received" }).click();
    const drawer = page.getByRole("dialog", { name: "message.received" });
    await drawer.getByText("Headers of the request").click();
    await drawer.getByText("webhook-timestamp: ", { exact: false }).waitFor();
    await drawer.getByRole("button", { name: "Deliver again" }).click();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Change" }).click();
    const change = page.getByRole("dialog", { name: "Change “Shop”" });
    await change.getByLabel("Name").fill("Till");
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Till", level: 1 }).waitFor();
    const { webhooks } = await manage(stack, "GET", "/webhooks/further");
    assert.deepEqual(
      webhooks.map((each: { name: string; channels: string[] }) => [each.name, each.channels]),
      [
        ["Till", ["whatsapp"]],
      ],
    );
    await page.getByRole("button", { name: "Rotate the secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate the secret" }).click();
    assert.notEqual(await secret.locator("code").innerText(), text);
    await secret.getByRole("button", { name: "I have kept it" }).click();
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch it off" }).click();
    await page.getByText("The webhook is off. Events are not kept for it.", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();

    await page.getByText("No further webhook yet").waitFor();
    assert.deepEqual((await manage(stack, "GET", "/webhooks/further")).webhooks, []);
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: a change of the webhook keeps the channels and senders that a program chose",
  async (stack, console) => {
    const { page } = console;
    const url = "http://127.0.0.1:9/events";
    await manage(stack, "PUT", "/webhooks", { url, event_types: null, channels: ["voice"] });
    await console.logIn();
    await console.open("webhooks");
    await page.getByRole("button", { name: "Change" }).click();
    const form = page.getByRole("dialog", { name: "Change the webhook" });
    await form.getByLabel("URL").fill("http://127.0.0.1:9/other");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("http://127.0.0.1:9/other").first().waitFor();

    const { webhook } = await manage(stack, "GET", "/webhooks");
    assert.deepEqual(webhook.channels, ["voice"]);
  },
));
