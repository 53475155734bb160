import type { Page } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import type { WidgetStack } from "../widget_stack.ts";
import { type ConsolePage, failNext, manage, sendCampaign } from "./console_page.ts";
import { placeCalls, writeOnWhatsApp } from "./people.ts";

const CONSENT = {
  channel: "whatsapp",
  status: "granted",
  method: "website",
  consented_at: "2026-01-31T18:00:00Z",
};

/** A call of the sandbox rings, and is talked. */
const CALL_MS = 40_000;

/** Calls `look` with every screen, each with something on it. */
export async function visitScreens(
  stack: WidgetStack,
  { page, open }: ConsolePage,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  // Nothing listens there, so that a delivery has failed.
  await manage(stack, "PUT", "/webhooks", { url: "http://127.0.0.1:9/events", event_types: null });
  const { event_id } = await manage(stack, "POST", "/webhooks/test");
  const further = { name: "Shop", url: "http://127.0.0.1:9/shop" };
  const { endpoint_id } = (await manage(stack, "GET", "/webhooks/further")).webhooks[0] ??
    await manage(stack, "POST", "/webhooks/further", further);
  await manage(stack, "PUT", "/keys", { daily_quota: 50_000, rate_limit: 300 });
  const limited = { name: "Till", permissions: ["reports"], rate_limit: 60, daily_quota: 10 };
  const { key_id } = (await manage(stack, "GET", "/keys/further")).keys[0] ??
    await manage(stack, "POST", "/keys/further", limited);
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
    [`webhooks/${endpoint_id}`, () => page.getByRole("heading", { name: "Shop" }).waitFor()],
    [`webhooks?delivery=${event_id}`, dialog],
    [`keys/${key_id}`, () => page.getByText("No request yet").waitFor()],
    ["keys", () => page.getByRole("row", { name: /^pk_|Copy pk_/ }).first().waitFor()],
    ["audit", row],
    ["account", () => page.getByText("You have none").waitFor()],
    [`audit?entry=${entryId}`, dialog],
    ["widgets", row],
    [`widgets/${widget_id}`, preview],
    [`widgets/${widget_id}?tab=texts&language=es`, preview],
    [`widgets/${widget_id}?tab=proactive`, preview],
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
