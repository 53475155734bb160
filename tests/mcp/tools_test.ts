import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { foldAll } from "../queue/history/recount.ts";
import { enqueue } from "../setup/fixtures/queue.ts";
import { seedCompany } from "./seed_company.ts";
import { withMcp } from "./with_mcp.ts";

const READS = [
  "list_campaigns",
  "get_campaign",
  "find_recipient",
  "find_person",
  "list_contacts",
  "get_timeline",
  "list_contact_lists",
  "count_audience",
  "list_templates",
  "get_template",
]
  .concat("list_senders", "list_deliveries", "get_delivery", "list_calls", "get_call")
  .concat("list_conversations", "list_messages", "get_history");

const WRITES = ["send_test", "pause_campaign", "resume_campaign", "cancel_campaign", "replay_delivery"];

Deno.test("an agent sees tools that only read; ?write=1 adds those that change something", () =>
  withMcp(async ({ connect, company }) => {
    const { tools: reading } = await connect(company.key.key);
    const { tools: writing } = await connect(company.key.key, { write: "1" });

    assert.deepEqual(reading.map(({ name }) => name), READS);
    assert.ok(reading.every(({ annotations }) => annotations?.readOnlyHint === true));
    assert.deepEqual(writing.map(({ name }) => name), [...READS, ...WRITES]);
    const hints = writing.slice(READS.length).map(({ annotations }) => [
      annotations!.readOnlyHint,
      annotations!.destructiveHint,
      annotations!.idempotentHint,
      annotations!.openWorldHint,
    ]);
    assert.deepEqual(hints, [
      [false, false, true, true],
      [false, false, true, false],
      [false, false, true, true],
      [false, true, true, false],
      [false, false, false, true],
    ]);
  }));

Deno.test("every tool is described: a title, a sentence, both schemas, and what the API document says of a field", () =>
  withMcp(async ({ connect, company, members }) => {
    const { tools } = await connect(company.key.key, { write: "1" });
    for (const { name, title, description, inputSchema, outputSchema } of tools) {
      assert.ok(title && /^[A-Z].*\.$/.test(description ?? ""), name);
      assert.equal(inputSchema.additionalProperties, false, name);
      assert.ok(Object.keys(outputSchema?.properties ?? {}).length > 0, name);
      assert.equal(inputSchema.properties?.company_id, undefined, name);
      for (const [argument, { description }] of Object.entries<JsonObject>(inputSchema.properties ?? {})) {
        assert.ok(description, `${name} ${argument}`);
      }
    }
    const campaigns = tools.find(({ name }) => name === "list_campaigns")!;
    assert.match(campaigns.inputSchema.properties.open.description, /not over/);
    assert.equal(campaigns.inputSchema.properties.open.type, "boolean");

    const { tools: ofUser } = await connect(members.viewer.token);
    assert.ok(ofUser.every(({ inputSchema }) => inputSchema.required?.includes("company_id")));
  }));

Deno.test("lists take real booleans, and find by a part of a name", () =>
  withMcp(async (t) => {
    const { campaign_id, notification_id } = await seedCompany(t);
    const { use } = await t.connect(t.members.viewer.token, { company_id: t.company.id });
    await t.sql`update outbound.campaigns set name = 'The Spring sale' where id = ${campaign_id}`;
    const ids = async (tool: string, list: string, id: string, args: JsonObject) =>
      (await use(tool, args)).body[list].map((row: JsonObject) => row[id]);
    const campaigns = (args: JsonObject) => ids("list_campaigns", "campaigns", "campaign_id", args);
    const open = await campaigns({ open: true });
    const over = await campaigns({ open: false });

    assert.deepEqual([...open, ...over].sort(), (await campaigns({})).sort());
    assert.deepEqual(await campaigns({ name: "spring S" }), [campaign_id]);
    assert.deepEqual(await campaigns({ name: "spring", open: !open.includes(campaign_id) }), []);
    assert.deepEqual(await campaigns({ name: "%" }), []);
    assert.ok(
      (await ids("list_calls", "calls", "notification_id", { ongoing: false })).includes(notification_id),
    );
    const part = t.company.template.name.slice(1, -1).toUpperCase();
    const found = await use("list_templates", { name: part });
    assert.deepEqual(found.body.templates.map(({ name }: JsonObject) => name), [t.company.template.name]);
    assert.ok((await use("list_campaigns", { open: "true" })).isError);
  }));

Deno.test("every tool that reads returns what is there, in the form that it declares", () =>
  withMcp(async (t) => {
    const seeded = await seedCompany(t);
    const { use } = await t.connect(t.members.viewer.token, { company_id: t.company.id });
    const read = async (tool: string, args: JsonObject = {}) => {
      const { isError, body } = await use(tool, args);
      assert.ok(!isError, `${tool}: ${JSON.stringify(body)}`);
      return body;
    };

    const { campaigns } = await read("list_campaigns", { channel: "whatsapp" });
    assert.deepEqual(campaigns.map((row: JsonObject) => row.campaign_id), [seeded.campaign_id]);
    const shown = await read("get_campaign", { campaign_id: seeded.campaign_id });
    assert.deepEqual(
      shown.failures.failures.map((
        { code, count, what_to_do }: JsonObject,
      ) => [code, count, what_to_do !== ""]),
      [["131026", 1, true]],
    );
    const { notifications } = await read("find_recipient", { number: seeded.number });
    assert.deepEqual(notifications.map((row: JsonObject) => [row.campaign_id, row.code]), [
      [seeded.campaign_id, "131026"],
    ]);
    const { templates } = await read("list_templates");
    assert.deepEqual(templates.map((row: JsonObject) => row.template_id), [seeded.template_id]);
    const { values } = await read("get_template", { template_id: seeded.template_id });
    assert.deepEqual(values.map((row: JsonObject) => row.name), ["body_text_0", "body_text_1"]);
    const { senders } = await read("list_senders", { channel: "whatsapp" });
    assert.deepEqual(senders.map((row: JsonObject) => [row.sender_id, row.status]), [
      [t.company.sender.id, "active"],
    ]);
    const { deliveries } = await read("list_deliveries");
    assert.ok(deliveries.some((row: JsonObject) => row.event_id === seeded.event_id));
    assert.match((await read("get_delivery", { event_id: seeded.event_id })).body, /notification\.sent/);
    const { calls } = await read("list_calls");
    assert.deepEqual(calls.map((row: JsonObject) => row.notification_id), [seeded.notification_id]);
    const call = await read("get_call", { notification_id: seeded.notification_id });
    assert.deepEqual(call.transcript, [{ role: "agent", message: "Hello", at_s: 0 }]);
    const { conversations } = await read("list_conversations");
    assert.deepEqual(conversations.map((row: JsonObject) => row.conversation_id), [seeded.conversation_id]);
    const { messages } = await read("list_messages", { conversation_id: seeded.conversation_id });
    assert.equal(messages.length, 1);
    await foldAll(t.sql);
    const { rows } = await read("get_history", { by: "reason" });
    assert.deepEqual(rows.map((row: JsonObject) => [row.key, row.failed]), [["131026", 1]]);
  }));

Deno.test("messages of people are marked as data", () =>
  withMcp(async (t) => {
    const seeded = await seedCompany(t);
    const { use } = await t.connect(t.company.key.key);
    const { body } = await use("list_messages", { conversation_id: seeded.conversation_id });
    assert.deepEqual(body.messages.map(({ author, untrusted }: JsonObject) => [author, untrusted]), [
      ["contact", true],
    ]);
  }));

Deno.test("lists are short, and read on with next", () =>
  withMcp(async (t) => {
    const ids: string[] = [];
    for (let count = 0; count < 12; count++) ids.push((await enqueue(t.sql, t.company)).campaignId);
    ids.sort().reverse();
    const { use } = await t.connect(t.company.key.key);
    const idsOf = ({ campaigns }: JsonObject) => campaigns.map((row: JsonObject) => row.campaign_id);

    const first = (await use("list_campaigns")).body;
    const second = (await use("list_campaigns", { after: first.next })).body;

    assert.deepEqual([idsOf(first), idsOf(second)], [ids.slice(0, 10), ids.slice(10)]);
    assert.equal(second.next, null);
    const tooMany = await use("list_campaigns", { limit: 51 });
    assert.deepEqual([tooMany.isError, tooMany.body.details.field], [true, "limit"]);
  }));
