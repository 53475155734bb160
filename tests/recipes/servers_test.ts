import assert from "node:assert/strict";
import { signEvent } from "../../supabase/functions/_shared/events_out/signing.ts";
import { type Clients, withClients } from "../sdk/with_clients.ts";
import { eventually } from "../setup/eventually.ts";
import { freePort, type RecipeServer, withInstalledRecipe, withRecipeServer } from "./recipe_server.ts";

/** A recipe that is a server. */
interface ServerRecipe {
  heading: string;
  /** The programs that this machine needs for it. */
  programs: string[];
  /** The request that says that an order was placed. */
  reportOrder(url: string, order: string): Request;
  /** One that must send nothing, and the status of its response. */
  refused(url: string): [Request, number];
  /** The path of the webhook. */
  webhook: string;
}

/** Of the customers; the second one is not on WhatsApp. */
const PHONES: Record<string, string> = { "A-1001": "34600111222", "A-1002": "34600110000" };
const SHOP_SECRET = "the shop's secret";

const SITE: Omit<ServerRecipe, "heading" | "programs"> = {
  reportOrder: (url, order) => new Request(`${url}/api/orders/${order}/placed`, { method: "POST" }),
  refused: (url) => [SITE.reportOrder(url, "A-1003"), 404],
  webhook: "/api/outbound",
};

const SERVERS: ServerRecipe[] = [
  { heading: "Next.js", programs: ["node", "npm"], ...SITE },
  { heading: "Express", programs: ["node", "npm"], ...SITE },
  { heading: "FastAPI", programs: ["python3"], ...SITE },
  {
    heading: "Supabase Edge Function",
    programs: [],
    reportOrder: (url, order) => inserted(url, order, SHOP_SECRET),
    refused: (url) => [inserted(url, "A-1001", "another secret"), 401],
    webhook: "/shop/events",
  },
];

/** The request of a database webhook. */
function inserted(url: string, order: string, secret: string): Request {
  const body = JSON.stringify({ type: "INSERT", record: { id: order, phone: PHONES[order], name: "Ana" } });
  return new Request(`${url}/shop/order-placed`, {
    method: "POST",
    headers: { "x-shop-secret": secret },
    body,
  });
}

for (const recipe of SERVERS) {
  Deno.test(`the recipe for ${recipe.heading} sends once per order, and takes signed events alone`, ({ name }) =>
    withInstalledRecipe(name, recipe, (installed) =>
      withClients(async (t) => {
        const PORT = freePort();
        const webhook = `http://127.0.0.1:${PORT}${recipe.webhook}`;
        const owner = await t.ownerClient();
        const { secret } = await owner.webhooks.set({
          url: webhook,
          event_types: ["notification.failed", "contact.opted_out"],
        }, { headers: { "If-Match": "*" } });
        const settings = {
          PORT,
          OUTBOUND_BASE_URL: t.baseUrl,
          OUTBOUND_API_KEY: t.key.key,
          SENDER: t.sender.number,
          WEBHOOK_SECRET: secret!,
          SHOP_SECRET,
        };
        await withRecipeServer(installed, settings, async (server) => {
          await assertSendsOnce(t, server, recipe);
          await assertReacts(t, server);
          await assertVerifies(webhook, secret!, server);
        });
        await assertReportsRefusal(installed, { ...settings, SENDER: "34900000000" }, recipe);
      }, { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } })));
}

/** Each order is placed twice at once, and once more later. */
async function assertSendsOnce(
  { sql, company }: Clients,
  { url }: RecipeServer,
  { reportOrder, refused }: ServerRecipe,
): Promise<void> {
  const [request, status] = refused(url);
  assert.equal(await statusOf(request), status);
  for (const order of Object.keys(PHONES)) {
    const requests = [reportOrder(url, order), reportOrder(url, order)];
    assert.deepEqual(await Promise.all(requests.map(statusOf)), [202, 202]);
    assert.equal(await statusOf(reportOrder(url, order)), 202);
  }

  const stored = await sql`
    select number, metadata->>'order' as order from outbound.notifications
    where company_id = ${company.id} order by number`;
  const expected = Object.entries(PHONES).map(([order, number]) => ({ number, order }));
  assert.deepEqual([...stored], expected.sort((a, b) => a.number.localeCompare(b.number)));
}

/** The events of the service itself reach the code of the recipe. */
async function assertReacts({ whileDispatching, sandbox }: Clients, { output }: RecipeServer): Promise<void> {
  await whileDispatching(async () => {
    await eventually(() => assert.match(output(), /^A-1002 did not arrive: 131026$/m));
    await eventually(async () => assert.equal((await sandbox.phone(PHONES["A-1001"]!)).messages.length, 1));
    await sandbox.write(PHONES["A-1001"]!, { type: "text", text: "STOP" });
    await eventually(() => assert.match(output(), /^34600111222 wants no more messages$/m));
  });
  assert.doesNotMatch(output(), /A-1001 did not arrive/);
}

/** The spaces are lost in a body that is parsed and written again. */
const failed = (order: string, more = "") =>
  `{ "type": "notification.failed", "data": { "metadata": { "order": "${order}" }, "error_code": "1"${more} } }`;

async function assertVerifies(webhook: string, secret: string, { output }: RecipeServer): Promise<void> {
  const send = (body: string, headers: Record<string, string>) =>
    statusOf(
      new Request(webhook, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body,
      }),
    );
  const sign = (payload: string, at = new Date(), key = secret) =>
    signEvent([key], { id: "evt_1", at, payload });
  const forged = failed("forged");
  const refusals: [string, Record<string, string>][] = [
    [forged, {}],
    ["", {}],
    ["", sign(forged)],
    [`${forged} `, sign(forged)],
    [JSON.stringify(JSON.parse(forged)), sign(forged)],
    [forged, { ...sign(forged), "webhook-id": "evt_2" }],
    [forged, sign(forged, new Date(Date.now() - 600_000))],
    [forged, sign(forged, new Date(), `whsec_${btoa("another secret")}`)],
  ];
  for (const [body, headers] of refusals) assert.equal(await send(body, headers), 401, body);
  const large = failed("large", `, "padding": "${"ñ".repeat(100_000)}"`);
  for (const body of [failed("spaced"), failed("spaced"), large]) {
    assert.equal(await send(body, sign(body)), 204);
  }

  await eventually(() => assert.match(output(), /^large did not arrive: 1$/m));
  assert.equal(output().match(/^spaced did not arrive: 1$/gm)?.length, 2);
  assert.doesNotMatch(output(), /forged/);
}

/** A refusal of the service is the site's 502 with its code, and is printed with the request's id. */
async function assertReportsRefusal(
  installed: Parameters<typeof withRecipeServer>[0],
  settings: Parameters<typeof withRecipeServer>[1],
  { reportOrder }: ServerRecipe,
): Promise<void> {
  await withRecipeServer(installed, settings, async ({ url, output }) => {
    const response = await fetch(reportOrder(url, "A-1002"));
    assert.equal(response.status, 502);
    assert.match(await response.text(), /\w+_\w+/);
    await eventually(() => assert.match(output(), /^A-1002: \w+ .*\(req_\w+\)$/m));
  });
}

async function statusOf(request: Request): Promise<number> {
  const response = await fetch(request);
  await response.body?.cancel();
  return response.status;
}
