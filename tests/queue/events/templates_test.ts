import assert from "node:assert/strict";
import type postgres from "postgres";
import { stopTemplate } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  applyTemplateEvents,
  storeTemplateEvents,
  type TemplateEventRow,
} from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { takeAccountsToSync } from "../../../supabase/functions/_shared/db/templates/templates.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  insertCompany,
  insertSender,
  insertTemplate,
  type SenderFixture,
} from "../../setup/fixtures/fixtures.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { acceptAll, insertSendingCompany, requestOf } from "../../setup/fixtures/queue.ts";

function eventOf(
  template: { waba_id: string; name: string },
  overrides: Partial<TemplateEventRow> = {},
): TemplateEventRow {
  return {
    dedupe_key: crypto.randomUUID(),
    waba_id: template.waba_id,
    platform_template_id: null,
    name: template.name,
    language: "en",
    kind: "status",
    status: "disabled",
    reason: null,
    category: null,
    quality: null,
    occurred_at: new Date().toISOString(),
    ...overrides,
  };
}

/** Stores and applies events; returns how many were dealt with. */
async function report(sql: postgres.Sql, events: TemplateEventRow[]): Promise<number> {
  await storeTemplateEvents(sql, events);
  return await applyTemplateEvents(sql, 1000);
}

/** Seconds ago, ISO 8601. */
function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}

async function stateOf(sql: postgres.Sql, id: string) {
  const [row] = await sql`select status, rejected_reason from outbound.templates where id = ${id}`;
  return row;
}

async function account(sql: postgres.Sql): Promise<SenderFixture> {
  return await insertSender(sql, (await insertCompany(sql)).id);
}

Deno.test("apply_template_events() moves the template of the account, name and language it names", () =>
  withTestDatabase(async ({ sql }) => {
    const [sender, elsewhere] = [await account(sql), await account(sql)];
    const meant = await insertTemplate(sql, sender, { name: "offer", language: "en_US" });
    const others = [
      await insertTemplate(sql, sender, { name: "offer", language: "en" }),
      await insertTemplate(sql, sender, { name: "offers", language: "en_US" }),
      await insertTemplate(sql, elsewhere, { name: "offer", language: "en_US" }),
    ];

    await report(sql, [
      eventOf(meant, { language: "en-US", status: "rejected", reason: "ABUSIVE_CONTENT" }),
    ]);

    assert.deepEqual(await stateOf(sql, meant.id), {
      status: "rejected",
      rejected_reason: "ABUSIVE_CONTENT",
    });
    for (const { id } of others) assert.equal((await stateOf(sql, id))?.status, "approved");
  }));

Deno.test("apply_template_events() finds a template by the platform's id", () =>
  withTestDatabase(async ({ sql }) => {
    const template = await insertTemplate(sql, await account(sql), { platform_template_id: "777" });

    await report(sql, [
      eventOf({ ...template, name: "renamed" }, { platform_template_id: "777" }),
    ]);

    assert.deepEqual(await stateOf(sql, template.id), { status: "disabled", rejected_reason: null });
  }));

Deno.test("apply_template_events() clears the reason when a template is usable again, and keeps unknown states", () =>
  withTestDatabase(async ({ sql }) => {
    const template = await insertTemplate(sql, await account(sql));
    await report(sql, [eventOf(template, { reason: "SCAM" })]);

    await report(sql, [eventOf(template, { status: "approved" })]);
    const approved = await stateOf(sql, template.id);
    await report(sql, [eventOf(template, { status: "SOMETHING_NEW" })]);

    assert.deepEqual(approved, { status: "approved", rejected_reason: null });
    assert.equal((await stateOf(sql, template.id))?.status, "SOMETHING_NEW");
  }));

Deno.test("apply_template_events() reaches every company of the account, and none for an unknown one", () =>
  withTestDatabase(async ({ sql }) => {
    const first = await insertTemplate(sql, await account(sql), { name: "shared" });
    const second = await insertTemplate(sql, { ...await account(sql), waba_id: first.waba_id }, {
      name: "shared",
    });

    await report(sql, [eventOf({ ...first, waba_id: "none" })]);
    assert.equal((await stateOf(sql, second.id))?.status, "approved");
    await report(sql, [eventOf(first)]);
    assert.equal((await stateOf(sql, first.id))?.status, "disabled");
    assert.equal((await stateOf(sql, second.id))?.status, "disabled");
  }));

Deno.test("store_template_events() keeps each report once, and apply_template_events() applies it once", () =>
  withTestDatabase(async ({ sql }) => {
    const template = await insertTemplate(sql, await account(sql));
    const event = eventOf(template);

    const stored = [await storeTemplateEvents(sql, [event]), await storeTemplateEvents(sql, [event])];
    const applied = [await applyTemplateEvents(sql, 1000), await applyTemplateEvents(sql, 1000)];

    assert.deepEqual([stored, applied], [[1, 0], [1, 0]]);
  }));

Deno.test("apply_template_events() goes by when things happened, whatever order they come in", () =>
  withTestDatabase(async ({ sql }) => {
    const template = await insertTemplate(sql, await account(sql), {
      status: "pending",
      category: "UTILITY",
    });
    const happened = [
      eventOf(template, { status: "rejected", reason: "SCAM", occurred_at: ago(50) }),
      eventOf(template, { status: "approved", category: "MARKETING", occurred_at: ago(40) }),
      eventOf(template, { kind: "category", status: null, category: "UTILITY", occurred_at: ago(35) }),
      eventOf(template, { kind: "quality", status: null, quality: "RED", occurred_at: ago(30) }),
      eventOf(template, { status: "disabled", reason: "FIRST_PAUSE", occurred_at: ago(20) }),
      eventOf(template, { kind: "quality", status: null, quality: "YELLOW", occurred_at: ago(10) }),
    ];
    const read = async () => {
      const [row] = await sql`select status, rejected_reason, category, quality from outbound.templates
        where id = ${template.id}`;
      return row;
    };
    const last = {
      status: "disabled",
      rejected_reason: "FIRST_PAUSE",
      category: "UTILITY",
      quality: "YELLOW",
    };

    for (const event of happened.toReversed()) await report(sql, [event]);
    assert.deepEqual(await read(), last);

    const again = happened.map((event) => ({ ...event, dedupe_key: crypto.randomUUID() }));
    await report(sql, [again[3]!, again[0]!, again[5]!, again[1]!, again[4]!, again[2]!]);
    assert.deepEqual(await read(), last);
  }));

Deno.test("apply_template_events() notifies companies of each real change once", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await account(sql);
    await insertWebhook(sql, sender.company_id);
    const template = await insertTemplate(sql, sender, { status: "pending" });

    await report(sql, [eventOf(template, { status: "approved", occurred_at: ago(30) })]);
    await report(sql, [
      eventOf(template, { status: "approved", occurred_at: ago(29) }),
      eventOf(template, { status: "disabled", occurred_at: ago(20) }),
      eventOf(template, { status: "approved", occurred_at: ago(40) }),
      eventOf(template, { kind: "quality", status: null, quality: "RED" }),
    ]);

    const events = await readEvents(sql, sender.company_id);
    assert.deepEqual(events.map(({ payload }) => [payload.data.previous_status, payload.data.status]), [
      ["pending", "approved"],
      ["approved", "disabled"],
    ]);
  }));

Deno.test("apply_template_events() has the account read anew for changed parts and for a template we do not have", () =>
  withTestDatabase(async ({ sql }) => {
    const [known, unknown, other] = [await account(sql), await account(sql), await account(sql)];
    const template = await insertTemplate(sql, known);
    const wanted = async () =>
      (await sql<
        { id: string }[]
      >`select id from outbound.senders where template_sync_requested order by created_at`)
        .map(({ id }) => id);

    await report(sql, [eventOf(template, { status: "approved" })]);
    assert.deepEqual(await wanted(), []);
    await report(sql, [
      eventOf(template, { kind: "components", status: null }),
      eventOf({ waba_id: unknown.waba_id!, name: "never_seen" }),
    ]);

    assert.deepEqual(new Set(await wanted()), new Set([known.id, unknown.id]));
    const due = await takeAccountsToSync(sql, 10);
    assert.deepEqual(
      new Set(due.map(({ waba_id }) => waba_id)),
      new Set([known.waba_id, unknown.waba_id]),
    );
    assert.deepEqual([await wanted(), [...await takeAccountsToSync(sql, 10)]], [[], []]);
    // Asked for again within the minute: later.
    await report(sql, [eventOf(template, { kind: "components", status: null })]);
    assert.deepEqual([...await takeAccountsToSync(sql, 10)], []);
    assert.ok(other);
  }));

interface PlatformTemplate {
  platform_template_id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  rejected_reason: string | null;
  parameter_format: string;
  components: { type: string; text: string }[];
}

function platformTemplate(overrides: Partial<PlatformTemplate> = {}): PlatformTemplate {
  return {
    platform_template_id: "1",
    name: "hello",
    language: "en",
    category: "UTILITY",
    status: "approved",
    rejected_reason: null,
    parameter_format: "POSITIONAL",
    components: [{ type: "BODY", text: "Hello" }],
    ...overrides,
  };
}

async function sync(
  sql: postgres.Sql,
  { company_id, waba_id }: SenderFixture,
  list: PlatformTemplate[],
  listedAt = new Date(Date.now() + 1000).toISOString(),
): Promise<number> {
  const [row] = await sql<{ written: number }[]>`
    select outbound.sync_templates(${company_id}, ${waba_id}, ${
    sql.json(list as never)
  }, ${listedAt}) as written`;
  return row!.written;
}

async function templatesOf(sql: postgres.Sql, { company_id }: SenderFixture) {
  return [
    ...await sql`select name, language, status from outbound.templates
      where company_id = ${company_id} order by name, language`,
  ];
}

Deno.test("sync_templates() makes our copy the platform's list, and writes only what changed", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await account(sql);
    const list = [platformTemplate(), platformTemplate({ language: "es", status: "pending" })];

    const written = [
      await sync(sql, sender, list),
      await sync(sql, sender, list),
      await sync(sql, sender, [list[0]!, { ...list[1]!, status: "approved" }]),
      await sync(sql, sender, [list[0]!]),
      await sync(sql, sender, [list[0]!]),
    ];

    assert.deepEqual(written, [2, 0, 1, 1, 0]);
    assert.deepEqual(await templatesOf(sql, sender), [
      { name: "hello", language: "en", status: "approved" },
      { name: "hello", language: "es", status: "disabled" },
    ]);
  }));

Deno.test("sync_templates() changes a template's shape with its text and not with its state", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await account(sql);
    const shapes: string[] = [];
    for (
      const list of [
        platformTemplate(),
        platformTemplate({ status: "rejected", category: "MARKETING" }),
        platformTemplate({ components: [{ type: "BODY", text: "Hello {{1}}" }] }),
        platformTemplate({ parameter_format: "NAMED" }),
      ]
    ) {
      await sync(sql, sender, [list]);
      const [row] = await sql<{ shape: string }[]>`select shape from outbound.templates`;
      shapes.push(row!.shape);
    }

    assert.equal(shapes[0], shapes[1]);
    assert.equal(new Set(shapes).size, 3);
  }));

Deno.test("sync_templates() believes events received after the platform began to list", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await account(sql);
    await sync(sql, sender, [platformTemplate({ status: "pending" })]);
    const listedAt = ago(5);
    await report(sql, [
      eventOf({ waba_id: sender.waba_id!, name: "hello" }, { status: "approved", occurred_at: ago(8) }),
    ]);
    const state = async () => (await sql`select status, category from outbound.templates`)[0]?.status;

    await sync(sql, sender, [platformTemplate({ status: "pending" })], listedAt);
    const kept = await state();
    await sync(sql, sender, [platformTemplate({ status: "rejected", rejected_reason: "SCAM" })]);
    const synced = await state();
    // From about the same time by another clock: it counts; from well before: old news.
    await report(sql, [
      eventOf({ waba_id: sender.waba_id!, name: "hello" }, { status: "disabled", occurred_at: ago(60) }),
    ]);

    assert.deepEqual([kept, synced, await state()], ["approved", "rejected", "rejected"]);
  }));

Deno.test("sync_templates() keeps the reason of a state the platform gives none for", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await account(sql);
    await sync(sql, sender, [platformTemplate()]);
    await report(sql, [
      eventOf({ waba_id: sender.waba_id!, name: "hello" }, { reason: "FIRST_PAUSE", occurred_at: ago(9) }),
    ]);
    const [template] = await sql`select id from outbound.templates`;

    await sync(sql, sender, [platformTemplate({ status: "disabled" })]);
    const paused = await stateOf(sql, template!.id);
    await sync(sql, sender, [platformTemplate()]);

    assert.deepEqual(paused, { status: "disabled", rejected_reason: "FIRST_PAUSE" });
    assert.deepEqual(await stateOf(sql, template!.id), { status: "approved", rejected_reason: null });
  }));

Deno.test("sync_templates() leaves other companies and other accounts alone", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await account(sql);
    const second = await insertSender(sql, sender.company_id);
    const stranger = { ...await account(sql), waba_id: sender.waba_id };
    for (const each of [sender, second, stranger]) await sync(sql, each, [platformTemplate()]);

    await sync(sql, sender, []);

    const states = await sql`select company_id, waba_id, status from outbound.templates`;
    const disabled = states.filter(({ status }) => status === "disabled");
    assert.deepEqual(
      disabled.map(({ company_id, waba_id }) => [company_id, waba_id]),
      [[sender.company_id, sender.waba_id]],
    );
  }));

Deno.test("sync_templates() takes a list that names a template twice", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await account(sql);

    assert.equal(await sync(sql, sender, [platformTemplate(), platformTemplate()]), 1);
  }));

Deno.test("stop_template() leaves the state to the platform's report of it, and no approval from before revives it", () =>
  withTestDatabase(async ({ sql }) => {
    const template = await insertTemplate(sql, await account(sql));
    await report(sql, [eventOf(template, { status: "approved", occurred_at: ago(60) })]);
    await stopTemplate(sql, {
      ...{ company_id: template.company_id, template_id: template.id },
      ...{ reason: "It is not approved", at: ago(5) },
    });

    await report(sql, [eventOf(template, { status: "approved", occurred_at: ago(30) })]);
    const stopped = await stateOf(sql, template.id);
    await report(sql, [
      eventOf(template, { status: "rejected", reason: "SCAM", occurred_at: ago(20) }),
    ]);
    const rejected = await stateOf(sql, template.id);
    await report(sql, [eventOf(template, { status: "approved", occurred_at: ago(2) })]);

    assert.deepEqual(stopped, { status: "disabled", rejected_reason: "It is not approved" });
    assert.deepEqual(rejected, { status: "rejected", rejected_reason: "SCAM" });
    assert.equal((await stateOf(sql, template.id))?.status, "approved");
  }));

Deno.test("an approval holds against refusals of its second, and not against later ones: the platform's times have no fractions", () =>
  withTestDatabase(async ({ sql }) => {
    const template = await insertTemplate(sql, await account(sql));
    const second = ago(60).slice(0, 19);
    const refuse = async (at: string) => {
      const ids = { company_id: template.company_id, template_id: template.id };
      await stopTemplate(sql, { ...ids, reason: "It is paused", at });
      return (await stateOf(sql, template.id))?.status;
    };

    const refused = await refuse(`${second}.700Z`);
    await report(sql, [eventOf(template, { status: "approved", occurred_at: `${second}.000Z` })]);
    const approved = (await stateOf(sql, template.id))?.status;
    const inSameSecond = await refuse(`${second}.800Z`);
    const later = await refuse(ago(58));

    assert.deepEqual([refused, approved, inSameSecond, later], [
      "disabled",
      ...["approved", "approved"],
      "disabled",
    ]);
  }));

Deno.test("stop_template() takes an approved template out of use, for new requests too", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const stop = { company_id: company.id, template_id: company.template.id, at: new Date().toISOString() };
    await stopTemplate(sql, { ...stop, reason: "No such template" });
    await stopTemplate(sql, { ...stop, reason: "Later" });

    const [verdict] = await acceptAll(sql, [requestOf(company)]);

    assert.equal(verdict?.outcome, "stale");
    assert.deepEqual(await stateOf(sql, company.template.id), {
      status: "disabled",
      rejected_reason: "No such template",
    });
  }));
