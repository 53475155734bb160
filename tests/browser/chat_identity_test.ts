import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { skipped } from "../setup/skipped.ts";
import { manage, withConsole } from "./console/console_page.ts";
import { assertAccessible } from "./browser_page.ts";
import { type HostPage, open, send, withHostPage } from "./host_page.ts";
import { SHARED, shareWidgetStack, type WidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

/** A visitor as a page's server describes them. */
interface Visitor {
  id: string;
  name: string;
  email: string;
  expires: number;
}

/** A page of a shop whose server knows who is logged in. */
interface Shop extends HostPage {
  /** The widget's lines in the page's console. */
  warnings: string[];
  /** Loads the page again, with a script that identifies the visitor as docs/contacts.md says. */
  identify(identity: JsonObject): Promise<void>;
}

async function withShop(
  what: string,
  fn: (shop: Shop, stack: WidgetStack, sign: (visitor: Visitor) => JsonObject) => Promise<void>,
): Promise<void> {
  const stack = sharedStack();
  if (!stack) return skipped(what, "no Chromium found");
  const { secret } = await manage(stack, "POST", "/widgets/identity");
  await withHostPage(stack, async (host) => {
    const { page } = host;
    const warnings: string[] = [];
    page.on("console", (message) => message.text().startsWith("[outbound]") && warnings.push(message.text()));
    const shop = {
      ...host,
      warnings,
      async identify(identity: JsonObject) {
        const call = `outbound.identify(${JSON.stringify(identity)})`;
        await page.addInitScript(`addEventListener("outbound:ready", () => ${call})`);
        await page.reload();
      },
    };
    await fn(shop, stack, (visitor) => ({ ...visitor, hash: hashOf(secret, visitor) }));
  });
}

/** The signature as the example in docs/contacts.md makes it. */
function hashOf(secret: string, { id, name, email, expires }: Visitor): string {
  return createHmac("sha256", secret).update([id, name, email, "", expires].join("\n")).digest("hex");
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** The contacts with an e-mail address. */
async function contactsWith(stack: WidgetStack, email: string): Promise<JsonObject[]> {
  return (await manage(stack, "GET", `/contacts?search=${encodeURIComponent(email)}`)).contacts;
}

/** The texts of the chats that belong to a contact, as a member reads them. */
async function chatsOf(stack: WidgetStack, { contact_id }: JsonObject): Promise<string[]> {
  const { entries } = await manage(stack, "GET", `/contacts/${contact_id}/timeline`);
  const chats = entries.filter(({ kind }: JsonObject) => kind === "chat");
  const texts = await Promise.all(chats.map(async ({ chat }: JsonObject) => {
    const { messages } = await manage(stack, "GET", `/conversations/${chat.conversation_id}/messages`);
    return messages.map(({ text }: JsonObject) => text);
  }));
  return texts.flat();
}

Deno.test(
  "chat widget: a chat belongs to the contact whom the page's server has signed",
  SHARED,
  () =>
    withShop("a signed visitor", async (shop, stack, sign) => {
      const ana = { id: "shop-1", name: "Ana Ruiz", email: "ana@shop.test", expires: inSeconds(600) };
      await shop.identify(sign(ana));
      await open(shop);

      await send(shop, "Where is my order?");

      const [contact, ...others] = await contactsWith(stack, ana.email);
      assert.deepEqual(others, []);
      assert.deepEqual([contact!.name, contact!.source], [ana.name, "visitor"]);
      assert.deepEqual(contact!.addresses, [
        { kind: "email", address: ana.email },
        { kind: "visitor", address: ana.id },
      ]);
      assert.deepEqual(await chatsOf(stack, contact!), ["Where is my order?"]);
      assert.deepEqual(shop.warnings, []);
      await withConsole(stack, async ({ page, logIn, open, countPresses }) => {
        await logIn();
        const presses = countPresses("see a person's website chats");
        await open(`contacts/${contact!.contact_id}`);
        await page.getByRole("link", { name: "Chat on the website" }).click();
        await page.getByRole("log").getByText("Where is my order?").waitFor();
        await presses.done();
      });
    }),
);

Deno.test(
  "chat widget: a chat from before the log-in belongs to the contact once the page is loaded again",
  SHARED,
  () =>
    withShop("a visitor who logs in", async (shop, stack, sign) => {
      const luis = { id: "shop-2", name: "Luis Gil", email: "luis@shop.test", expires: inSeconds(600) };
      await open(shop);
      await send(shop, "I have a question");
      assert.deepEqual(await contactsWith(stack, luis.email), []);

      await shop.identify(sign(luis));
      await open(shop);
      await send(shop, "And now I am logged in");

      await eventually(async () => {
        const [contact] = await contactsWith(stack, luis.email);
        assert.ok(contact);
        assert.deepEqual((await chatsOf(stack, contact)).toSorted(), [
          "And now I am logged in",
          "I have a question",
        ]);
      });
    }),
);

Deno.test(
  "chat widget: a wrong and an expired signature tie nothing, and the console says so",
  SHARED,
  async () => {
    const eve = { id: "shop-3", name: "Eve", email: "eve@shop.test", expires: inSeconds(600) };
    const expired = { ...eve, expires: inSeconds(-60) };
    const cases: [string, (sign: (visitor: Visitor) => JsonObject) => JsonObject][] = [
      ["wrong", (sign) => ({ ...sign(eve), name: "Ana Ruiz" })],
      ["expired", (sign) => sign(expired)],
    ];
    for (const [what, identityOf] of cases) {
      await withShop(`a signature that is ${what}`, async (shop, stack, sign) => {
        await shop.identify(identityOf(sign));
        await open(shop);

        await send(shop, `Mine is ${what}`);

        const statuses = await shop.chat.getByRole("status").allInnerTexts();
        assert.equal(statuses.join("").trim(), "");
        assert.equal(await shop.chat.getByRole("alert").count(), 0);
        await assertAccessible(shop.page.frames().at(-1)!);
        assert.deepEqual(shop.warnings, [
          "[outbound] the API refused the visitor's identity: the chat goes on without it",
        ]);
        assert.deepEqual(await stack.conversation(`Mine is ${what}`), [`visitor: Mine is ${what}`]);
        assert.deepEqual(await contactsWith(stack, eve.email), []);
      });
    }
  },
);

Deno.test(
  "chat widget: after a log-out the browser forgets the chat of a signed visitor, and no other",
  SHARED,
  () =>
    withShop("a visitor who logs out", async (shop, stack, sign) => {
      const { page, chat } = shop;
      const stored = () => page.evaluate("JSON.stringify(localStorage)") as Promise<string>;
      const eva = { id: "shop-4", name: "Eva Sanz", email: "eva@shop.test", expires: inSeconds(600) };
      const identify = (identity: JsonObject | null) =>
        page.evaluate(`outbound.identify(${JSON.stringify(identity)})`);
      await open(shop);
      await send(shop, "From an unknown visitor");
      await identify(null);
      await chat.getByText("From an unknown visitor").waitFor();
      assert.match(await stored(), /vt_/);

      await page.reload();
      await page.locator("[data-outbound-widget] .button").waitFor();
      await identify(sign(eva));
      await open(shop);
      await eventually(async () => assert.match(await stored(), /isSigned/));
      await send(shop, "This is for me alone");
      await identify(null);

      await chat.getByText("This is for me alone").waitFor({ state: "detached" });
      assert.equal(await chat.getByText("From an unknown visitor").count(), 0);
      assert.doesNotMatch(await stored(), /vt_/);
      await send(shop, "From the next person");
      const [contact] = await contactsWith(stack, eva.email);
      assert.deepEqual((await chatsOf(stack, contact!)).toSorted(), [
        "From an unknown visitor",
        "This is for me alone",
      ]);
      await page.reload();
      await open(shop);
      await chat.getByText("From the next person").waitFor();
      assert.equal(await chat.getByText("This is for me alone").count(), 0);
    }),
);
