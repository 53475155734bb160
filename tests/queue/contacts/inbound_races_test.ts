import assert from "node:assert/strict";
import type postgres from "postgres";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import {
  applyPreferences,
  type InboundMessageRow,
  moveContacts,
  storeInboundMessages,
} from "../../../supabase/functions/_shared/db/contacts/inbound.ts";
import { unsuppressContact } from "../../../supabase/functions/_shared/db/contacts/contact_ledger.ts";
import { faultsOf, plansOf } from "../plans/read_plans.ts";
import { insertSender } from "../../setup/fixtures/fixtures.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  messageId,
  report,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";

const PEOPLE = 12;
const ROUNDS = 15;

function messageRow(
  { sender }: SendingCompany,
  person: number,
  overrides: Partial<InboundMessageRow> = {},
): InboundMessageRow {
  return {
    id: crypto.randomUUID(),
    waba_id: sender.waba_id!,
    phone_number_id: sender.platform_id,
    number: numberOf(person),
    user_id: person % 2 === 0 ? `ES.${person}` : null,
    profile_name: null,
    username: null,
    platform_message_id: `wamid.${crypto.randomUUID()}`,
    context_message_id: null,
    at: new Date().toISOString(),
    kind: "text",
    text: "stop",
    content: null,
    holds_file: person % 3 === 0,
    folded: "stop",
    word_says: "opt_out",
    button_says: null,
    confirmations: [{ language: "en", text: "Bye" }],
    ...overrides,
  };
}

const numberOf = (person: number) => String(59_171_000_100 + person);

function shuffled<Item>(items: Item[]): Item[] {
  return items.map((item) => ({ item, order: Math.random() })).sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

Deno.test("messages, failures, preferences and moves of the same people at once neither deadlock nor count twice", () =>
  withMeasuredDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids, campaignId } = await enqueue(sql, company, { count: PEOPLE, type: "marketing" });
    await finish(sql, await claim(sql, { limit: PEOPLE }), { outcome: "sent" });
    const rows = await sql<{ id: string; number: string }[]>`select id, number from outbound.notifications`;
    const contextOf = (person: number) =>
      messageId(rows.find(({ number }) => number === numberOf(person))!.id);
    const people = Array.from({ length: PEOPLE }, (_, person) => person);
    const now = new Date().toISOString();

    for (let round = 0; round < ROUNDS; round++) {
      const replies = people.map((person) =>
        messageRow(company, person, {
          context_message_id: contextOf(person),
          ...(round % 3 === 2 && { word_says: "opt_in", folded: "start" }),
        })
      );
      const events = shuffled(ids).map((id) =>
        eventOf(company.id, id, "failed", {
          error_code: round % 2 === 0 ? "131050" : "131049",
          dedupe_key: crypto.randomUUID(),
        })
      );
      const { waba_id, platform_id } = company.sender;
      await Promise.all([
        storeInboundMessages(sql, shuffled(replies)),
        storeInboundMessages(sql, shuffled(replies)),
        report(sql, events),
        applyPreferences(
          sql,
          shuffled(people).map((person) => ({
            waba_id: waba_id!,
            phone_number_id: platform_id,
            number: numberOf(person),
            user_id: null,
            value: round % 2 === 0 ? "resume" as const : "stop" as const,
            detail: null,
            at: now,
          })),
        ),
        moveContacts(
          sql,
          shuffled(people).filter((person) => person % 2 === 0).map((person) => ({
            waba_id: waba_id!,
            phone_number_id: platform_id,
            from: `ES.${person}`,
            to: `ES.${person}x${round}`,
            at: now,
          })),
        ),
      ]);
    }

    const [counts] = await sql`
      select (select replied from outbound.campaigns where id = ${campaignId}) as replied,
        (select count(*)::int from outbound.contact_messages where direction = 'in') as messages`;
    assert.deepEqual(counts, { replied: PEOPLE, messages: PEOPLE * ROUNDS });
    const twice = await sql`
      select address, channel, category, source from outbound.suppressions where lifted_at is null
      group by 1, 2, 3, 4 having count(*) > 1`;
    assert.deepEqual([...twice], []);
  }));

Deno.test("the same message from two requests at once is stored, counted and confirmed once", () =>
  withMeasuredDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);

    for (let round = 0; round < ROUNDS; round++) {
      const platform_message_id = `wamid.${round}`;
      const stored = await Promise.all(
        [1, 2, 3].map(() => storeInboundMessages(sql, [messageRow(company, round, { platform_message_id })])),
      );

      assert.equal(stored.reduce((sum, count) => sum + count, 0), 1);
    }
    const [row] =
      await sql`select count(*)::int as count from outbound.contact_messages where direction = 'out'`;
    assert.equal(row!.count, ROUNDS);
  }));

for (const isKept of [false, true]) {
  const plan = isKept ? "a plan that was made while there was none" : "a new plan, without statistics";
  Deno.test(`storing a message and applying receipts read no table that grows with history, by ${plan}`, () =>
    withMeasuredDatabase(async ({ sql, url }) => {
      const company = await insertSendingCompany(sql);
      await sql`create schema net`;
      const tables = ["contact_messages", "contact_threads", "user_ids", "seen_messages", "suppressions"];

      const plans = await plansOf(url, async (one) => {
        if (isKept) await useMessages(one, company, 4);
        await fillMessages(sql, company);
        await useMessages(one, company, 5);
      });

      assert.deepEqual(faultsOf(plans, 1000, [...tables, "notification_facts", "queue"]), []);
    }));
}

/** Does with one person's messages and preferences everything that reads them. */
async function useMessages(one: postgres.Sql, company: SendingCompany, person: number): Promise<void> {
  await storeInboundMessages(one, [messageRow(company, person, { context_message_id: "wamid.none" })]);
  await one`select * from outbound.queue_reply(${company.id}, ${
    one.json({ id: crypto.randomUUID(), number: numberOf(person), kind: "text", text: "Hi" })
  }, null)`;
  await one`select * from outbound.claim_replies('worker', 10, '1 minute')`;
  await one`select outbound.settle_replies('1 minute')`;
  await one`select outbound.invoke_dispatch()`;
  await storeInboundMessages(one, [
    messageRow(company, person, { word_says: "opt_in", folded: "start" }),
  ]);
  for (const value of ["resume", "stop", "resume"] as const) {
    await applyPreferences(one, [{
      waba_id: "1",
      phone_number_id: company.sender.platform_id,
      number: numberOf(person),
      user_id: null,
      value,
      detail: null,
      at: new Date().toISOString(),
    }]);
  }
  const scope = {
    number: numberOf(person),
    user_id: null,
    channel: "any",
    category: "marketing",
  } as const;
  const asked = {
    sources: ["api"] as ["api"],
    by: "api",
    consentedAt: new Date().toISOString(),
    evidence: {},
  } as const;
  await unsuppressContact(one, company.id, { ...scope, ...asked }, CLI);
}

/** Messages of many people, all of them done with but those of a stopped sender. */
async function fillMessages(
  sql: Parameters<typeof enqueue>[0],
  { id, sender }: SendingCompany,
): Promise<void> {
  await sql`
    insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at)
    select ${id}, gen_random_uuid(), ${sender.id}, case when n % 2 = 0 then 'in' else 'out' end,
      (59171000000 + n % 5000)::text, 'text', 'x', case when n % 2 = 0 then 'received' else 'read' end,
      now() - make_interval(secs => n)
    from generate_series(1, 20000) as n`;
  const stopped = await insertSender(sql, id);
  await sql`update outbound.senders set status = 'stopped', stopped_reason = 'x', stopped_at = now()
    where id = ${stopped.id}`;
  await sql`
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, kind, text, status, run_at, expires_at, at
    )
    select ${id}, gen_random_uuid(), ${stopped.id}, 'out', (59173000000 + n)::text, 'text', 'x', 'queued', now(),
      now() + interval '1 hour', now()
    from generate_series(1, 5000) as n`;
  await sql`
    insert into outbound.seen_messages (company_id, message_hash)
    select ${id}, sha256(n::text::bytea) from generate_series(1, 20000) as n`;
  await sql`
    insert into outbound.user_ids (company_id, user_id, number)
    select ${id}, 'ES.x' || n, (59174000000 + n)::text from generate_series(1, 20000) as n`;
  await sql`
    insert into outbound.suppressions (company_id, address, channel, category, source, at)
    select ${id}, (59172000000 + n)::text, 'any', 'marketing', 'keyword', now() from generate_series(1, 20000) as n`;
}
