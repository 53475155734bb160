import assert from "node:assert/strict";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { eventually } from "../../setup/eventually.ts";
import { type HostPage, withHostPage } from "../host_page.ts";
import type { WidgetStack } from "../widget_stack.ts";
import { manage, shareConsole, withConsole } from "./console_page.ts";
import { writeOnWhatsApp } from "./people.ts";

const consoleTest = shareConsole();

/** Opens the chat on a page of another site and writes in it. */
async function writeInChat({ page, chat }: HostPage, text: string): Promise<void> {
  const field = chat.getByRole("textbox");
  if (!await field.isVisible()) await page.locator("[data-outbound-widget] .button").click();
  await field.fill(text);
  await field.press("Enter");
}

Deno.test(consoleTest(
  "console: a visitor's chat waits, is counted, and gets a member's reply, with both seeing who types",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("inbox");
    await page.getByText("Nobody waits").waitFor();

    await withHostPage(stack, async (host) => {
      await writeInChat(host, "Do you <b>ship</b> to Tenerife?");
      const row = page.getByRole("link", { name: /^Website Visitor/ });
      await row.waitFor();
      await page.getByRole("navigation", { name: "Sections" }).getByText("1 waits").waitFor({
        state: "attached",
      });
      await eventually(async () => assert.match(await page.title(), /^\(1\) Inbox/));
      const presses = console.countPresses("take and reply to a website chat");
      await row.click();
      const log = page.getByRole("log", { name: "Messages" });
      await log.getByText("Do you <b>ship</b> to Tenerife?").waitFor();
      await page.getByRole("link", { name: "A shop" }).waitFor();

      await writeInChat(host, "In *2 days*, as https://shop.test/a_b_c says?");
      await log.getByText("In *2 days*, as").waitFor();
      for (const side of [log, host.chat]) {
        await side.getByRole("link", { name: "https://shop.test/a_b_c" }).waitFor();
        assert.equal(await side.locator("strong").count(), 0);
      }

      await host.chat.getByRole("textbox").pressSequentially("And");
      await log.getByText("They are writing").waitFor();
      await page.getByLabel("Who takes care of it").selectOption({ label: "Me" });
      await page.getByText("Changed who takes care of it.").waitFor();
      const field = page.getByRole("textbox", { name: "Write a reply" });
      await field.pressSequentially("Yes, in three days.");
      await host.chat.getByText("typing").waitFor();
      await field.press("Enter");

      await host.chat.getByText("Yes, in three days.").waitFor();
      await presses.done();
      await log.getByText("Yes, in three days.").waitFor();
      assert.equal(await log.getByText("Yes, in three days.").count(), 1);
      await page.getByText("Nobody waits").waitFor();
      await eventually(async () => assert.match(await page.title(), /^Inbox/));
      await page.getByRole("link", { name: "Mine" }).click();
      await row.waitFor();
      await page.getByRole("region", { name: /^Visitor/ }).getByRole("button", { name: "Close" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).last().click();
      await page.getByText("This chat is closed.").waitFor();
    });
  },
));

Deno.test(consoleTest(
  "console: gives a conversation to a member whose name the server does not know",
  async (stack, console) => {
    const { page } = console;
    await writeOnWhatsApp(stack, "34600229001", "Is anybody there?");
    const user_id = await addOperator(stack);
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: /34600229001/ }).click();

    const presses = console.countPresses("hand a conversation over");
    await page.getByLabel("Who takes care of it").selectOption({ label: `Member …${user_id.slice(-6)}` });

    await page.getByText("Changed who takes care of it.").waitFor();
    await presses.done();
    await page.getByRole("listitem").filter({ hasText: "34600229001" }).getByText(
      `Member …${user_id.slice(-6)}`,
    )
      .waitFor();
  },
));

/** Makes a user an operator of the demo company, and returns their id. */
async function addOperator(stack: WidgetStack): Promise<string> {
  const sql = connect(stack.databaseUrl, { max: 1 });
  const user_id = crypto.randomUUID();
  try {
    await sql`insert into outbound.company_members ${
      sql({ company_id: stack.demo.company_id, user_id, role: "operator" })
    }`;
  } finally {
    await sql.end();
  }
  return user_id;
}

Deno.test(consoleTest(
  "console: two windows show the same inbox, and a draft stays with its conversation",
  async (stack, console) => {
    const { page } = console;
    await writeOnWhatsApp(stack, "34600221001", "First");
    await writeOnWhatsApp(stack, "34600221002", "Second");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: /34600221001/ }).click();
    const field = page.getByRole("textbox", { name: "Write a reply" });
    await field.fill("Half a sentence");
    await page.getByRole("link", { name: /34600221002/ }).click();
    await eventually(async () => assert.equal(await field.inputValue(), ""));
    await page.reload();
    await page.getByRole("link", { name: /34600221001/ }).click();
    await eventually(async () => assert.equal(await field.inputValue(), "Half a sentence"));

    await withConsole(stack, async (other) => {
      await other.logIn();
      await other.open("inbox");
      await other.page.getByRole("link", { name: /34600221002/ }).click();
      await other.page.getByRole("textbox", { name: "Write a reply" }).fill("Done");
      await other.page.getByRole("button", { name: "Send", exact: true }).click();

      await page.getByRole("link", { name: /34600221002/ }).waitFor({ state: "detached" });
    });

    await page.getByRole("button", { name: "Account" }).or(page.locator("summary")).first().click();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Password").waitFor();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
  },
));

Deno.test(consoleTest(
  "console: a reply on WhatsApp within the window reaches the phone; after it only a template does",
  async (stack, console) => {
    const { page } = console;
    await writeOnWhatsApp(stack, "34600222001", "Where is *my* order, \u202egpj.eciovni?");
    await console.logIn();
    await console.open("inbox?kind=whatsapp");

    const presses = console.countPresses("reply on WhatsApp");
    await page.getByRole("link", { name: /34600222001/ }).click();
    await page.getByText(/You can reply for 23 hrs?/).waitFor();
    assert.equal(await page.getByRole("log").locator("strong").innerText(), "my");
    await page.getByRole("log").getByText("<U+202E>gpj.eciovni?").waitFor();
    await page.getByRole("textbox", { name: "Write a reply" }).fill("It arrives tomorrow.");
    await page.getByRole("button", { name: "Send", exact: true }).click();

    await page.getByRole("log").getByText(/^(Delivered|Read)$/).waitFor();
    await presses.done();
    const phone = await (await fetch(`${stack.sandboxUrl}/sandbox/phones/34600222001`)).json();
    assert.match(JSON.stringify(phone), /It arrives tomorrow\./);

    await closeWindow(stack, "34600222001");
    await page.reload();
    await page.getByText("The 24 hours to reply are over.").waitFor();
    await page.getByRole("button", { name: "Send a template" }).click();
    const dialog = page.getByRole("dialog", { name: "A template to +34600222001" });
    await dialog.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await dialog.getByRole("button", { name: "Send it" }).click();
    assert.equal(await dialog.getByText("Fill this in").count(), 2);
    await dialog.getByLabel("{{1}} in the text").fill("Ana");
    await dialog.getByLabel("{{2}} in the text").fill("A-1042");
    await dialog.getByRole("figure", { name: "Preview" }).getByText("A-1042").waitFor();
    await dialog.getByRole("button", { name: "Send it" }).click();
    await page.getByText("The template is on its way").waitFor();
    const { notifications } = await manage(stack, "GET", "/contacts/notifications?number=34600222001");
    assert.deepEqual(
      notifications.map(({ template_name, campaign_name }: Record<string, string>) => [
        template_name,
        campaign_name,
      ]),
      [["order_update", "Reply from the inbox"]],
    );
  },
));

/** Moves what a person wrote to yesterday, and more. */
async function closeWindow({ databaseUrl }: WidgetStack, number: string): Promise<void> {
  const sql = connect(databaseUrl, { max: 1 });
  try {
    await sql`update outbound.contact_threads set last_inbound_at = now() - interval '25 hours'
      where last_message_id in (select id from outbound.contact_messages where number = ${number})`;
  } finally {
    await sql.end();
  }
}

Deno.test(consoleTest(
  "console: a reply that failed says so, and is sent once when it is retried",
  async (stack, console) => {
    const { page } = console;
    await writeOnWhatsApp(stack, "34600223001", "Hello?");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: /34600223001/ }).click();
    let attempts = 0;
    await page.route(/\/reply$/, async (route) => {
      if (attempts++ > 0) return await route.continue();
      // It arrives, and the response is lost.
      await route.fetch();
      await route.fulfill({
        status: 403,
        json: { error: "forbidden", message: "Not now" },
        headers: { "Access-Control-Allow-Origin": stack.consoleUrl },
      });
    });
    await page.getByRole("textbox", { name: "Write a reply" }).fill("Once");
    await page.keyboard.press("Enter");
    const failed = page.getByRole("alert").filter({ hasText: "Not sent." });
    await failed.waitFor();

    await failed.getByRole("button", { name: "Try again" }).click();

    await failed.waitFor({ state: "detached" });
    const { conversations } = await manage(stack, "GET", "/conversations?kind=whatsapp&limit=1");
    const { messages } = await manage(
      stack,
      "GET",
      `/conversations/${conversations[0].conversation_id}/messages`,
    );
    assert.deepEqual(messages.map(({ text }: { text: string }) => text), ["Once", "Hello?"]);
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: a phone shows the list, then the conversation, then the details, and goes back",
  async (stack, console) => {
    const { page } = console;
    await writeOnWhatsApp(stack, "34600224001", "On the phone");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: /34600224001/ }).click();
    await page.getByRole("heading", { name: "+34600224001" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Waiting" }).isVisible(), false);

    await page.getByRole("link", { name: "Details" }).click();
    await page.getByText("Not opted out").waitFor();
    assert.equal(await page.getByRole("log").isVisible(), false);
    await page.getByRole("link", { name: "Back to the conversation" }).click();
    await page.getByRole("log").waitFor();
    await page.getByRole("link", { name: "Back to the list" }).click();

    await page.getByRole("link", { name: "Waiting" }).waitFor();
  },
  { viewport: { width: 360, height: 740 } },
));

Deno.test(
  consoleTest(
    "console: says when a visitor writes while the page is not looked at",
    async (stack, console) => {
      const { page } = console;
      await page.context().grantPermissions(["notifications"], { origin: stack.consoleUrl });
      await console.logIn();
      await console.open("inbox");
      await page.evaluate(`{
    globalThis.notices = [];
    globalThis.Notification = class {
      static permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      constructor(title, { body }) { notices.push(body); }
    };
    Object.defineProperty(document, "hidden", { get: () => true });
  }`);
      await page.getByRole("button", { name: "Notify me on this device" }).click();
      await page.getByRole("button", { name: "Notifications are on" }).waitFor();

      await writeOnWhatsApp(stack, "34600225001", "A secret");

      await eventually(async () =>
        assert.deepEqual(await page.evaluate("notices"), ["Somebody wrote on WhatsApp."])
      );
    },
    // Chromium says that a window of its own has no push service.
    { mayComplain: true },
  ),
);

Deno.test(consoleTest(
  "console: joins a caller, mutes, goes to another screen, and hangs up",
  async (stack, console) => {
    const { page } = console;
    await insertHandoff(stack);
    await standInForLiveKit(stack, console.page);
    await console.logIn();
    await console.open("inbox?view=calls");
    await page.getByRole("link", { name: /^Caller/ }).click();
    await page.getByText("Wants a refund").first().waitFor();

    await page.getByRole("button", { name: "Join the call" }).click();

    const bar = page.getByRole("region", { name: "Call" });
    await bar.getByText("Waiting for the caller.").waitFor();
    assert.deepEqual(await page.evaluate("[livekit.url, livekit.token, livekit.microphone]"), [
      "wss://media.example.com",
      "a-token",
      true,
    ]);
    await page.evaluate(`livekit.room.remoteParticipants.set("visitor", {});
      livekit.room.emit("participantConnected")`);
    await bar.getByText("Talking.").waitFor();
    await bar.getByRole("button", { name: "Mute" }).click();
    assert.equal(await page.evaluate("livekit.microphone"), false);
    await console.open("campaigns");
    await page.getByRole("heading", { name: "Campaigns" }).waitFor();
    await bar.getByRole("button", { name: "Hang up" }).click();
    await bar.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("livekit.left"), true);
  },
));

async function insertHandoff({ databaseUrl, demo }: WidgetStack): Promise<void> {
  const sql = connect(databaseUrl, { max: 1 });
  try {
    await sql`
      insert into outbound.handoffs (company_id, id, widget_id, session_id, conversation_id, room, reason)
      values (${demo.company_id}, gen_random_uuid(), ${demo.voice_widget_id}, gen_random_uuid(), 'conv', 'room',
        'Wants a refund')`;
  } finally {
    await sql.end();
  }
}

/** The stack has no LiveKit server: the access is a stand-in, and so is LiveKit's client. */
async function standInForLiveKit(
  { consoleUrl }: WidgetStack,
  page: import("playwright-core").Page,
): Promise<void> {
  const client = await Deno.readTextFile(new URL("../livekit_stand_in.js", import.meta.url));
  await page.route(/\/assets\/livekit_client-/, (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `${client}
        export const { ConnectionState, DisconnectReason, Room, RoomEvent, setLogLevel } = LivekitClient;`,
    }));
  await page.route(/\/join$/, (route) =>
    route.fulfill({
      json: {
        handoff_id: crypto.randomUUID(),
        status: "joined",
        url: "wss://media.example.com",
        token: "a-token",
      },
      headers: { "Access-Control-Allow-Origin": consoleUrl },
    }));
}
