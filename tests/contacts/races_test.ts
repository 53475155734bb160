import assert from "node:assert/strict";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type postgres from "postgres";
import { eraseContact } from "../../supabase/functions/_shared/contacts/erasure.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { connect } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { unsuppressContact } from "../../supabase/functions/_shared/db/contacts/contact_ledger.ts";
import { suppressContacts, type Suppression } from "../../supabase/functions/_shared/db/contacts/contacts.ts";
import { queueReply } from "../../supabase/functions/_shared/db/contacts/replies.ts";
import { untilBlocked, withOpenTransaction } from "../control/open_transaction.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import {
  acceptAll,
  assertConserved,
  claim,
  countersOf,
  enqueue,
  insertSendingCompany,
  requestOf,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { insertWebhook } from "../setup/fixtures/webhooks.ts";
import { NUMBER, OTHER } from "./known_person.ts";

const sealer = createSealer(TEST_SECRETS_KEY);

function erase(sql: postgres.Sql, companyId: string, number = NUMBER) {
  const request = {
    companyId,
    number,
    user_id: null,
    contact_id: null,
    actor: "cli",
    requestId: null,
  } as const;
  return eraseContact({ sql, sealer }, request);
}

function optOut(number: string): Suppression {
  const at = new Date().toISOString();
  return {
    number,
    user_id: null,
    channel: "any",
    category: "marketing",
    source: "keyword",
    at,
    evidence: null,
  };
}

/** Calls `fn` with so many connections of their own. */
async function withConnections<Result>(
  url: string,
  count: number,
  fn: (connections: postgres.Sql[]) => Promise<Result>,
): Promise<Result> {
  const connections = Array.from({ length: count }, () => connect(url, { max: 1 }));
  try {
    return await fn(connections);
  } finally {
    await Promise.all(connections.map((each) => each.end({ timeout: 5 })));
  }
}

Deno.test("opt-outs of the same people that arrive at once, in any order, are recorded and reported once", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    await insertWebhook(sql, company.id);
    const people = Array.from({ length: 50 }, (_, index) => optOut(String(34_600_000_000 + index)));

    const results = await withConnections(url, 4, (connections) =>
      Promise.all(
        connections.map((one, index) =>
          suppressContacts(one, company.id, index % 2 === 0 ? people : [...people].reverse(), CLI)
        ),
      ));

    assert.equal(results.flat().filter(Boolean).length, people.length);
    const [row] = await sql`
      select (select count(*)::int from outbound.suppressions) as suppressions,
        (select count(*)::int from outbound.outgoing_events) as events`;
    assert.deepEqual({ ...row }, { suppressions: people.length, events: people.length });
  }));

Deno.test("lifting at a person's request leaves an opt-out that is stored meanwhile", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const imported = { ...optOut(NUMBER), source: "import" as const };
    await suppressContacts(sql, company.id, [{ ...imported, at: "2026-01-01T00:00:00Z" }], CLI);

    await withOpenTransaction(sql, async (open, commit) => {
      // The row that the other waits for, and an opt-out that it has not seen.
      await suppressContacts(open, company.id, [imported, optOut(NUMBER)], CLI);
      const lifting = unsuppressContact(sql, company.id, {
        number: NUMBER,
        user_id: null,
        channel: "any",
        category: "marketing",
        sources: ["api", "import"],
        by: "api",
        consentedAt: null,
        evidence: {},
      }, CLI);
      await untilBlocked(sql);
      await commit();

      const { outcome, lifted, kept } = await lifting;
      assert.deepEqual([outcome, lifted, kept], ["lifted", 1, ["keyword"]]);
    });
    const current = await sql`select source from outbound.suppressions where lifted_at is null`;
    assert.deepEqual(current.map(({ source }) => source), ["keyword"]);
  }));

Deno.test("erasing waits for a claim under way, and then for the message", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });

    await withOpenTransaction(sql, async (open, commit) => {
      assert.equal((await claim(open, { limit: 3 })).length, 3);
      const erasing = erase(sql, company.id);
      await untilBlocked(sql);
      await commit();

      assert.deepEqual(await erasing, { kind: "on_its_way", retryAfterS: 5 });
    });
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 3 });
  }));

Deno.test("a claim passes by what is being erased, and sends nothing to a person who was", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { count: 3 });

    await withOpenTransaction(sql, async (open, commit) => {
      await erase(open, company.id);
      const claiming = claim(sql);
      // For the campaign's counters.
      await untilBlocked(sql);
      await commit();

      assert.deepEqual((await claiming).map(({ id }) => id).sort(), ids.slice(1).sort());
    });
    await assertConserved(sql);
  }));

Deno.test("what is accepted while a person is erased is erased too", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company);

    await withOpenTransaction(sql, async (open, commit) => {
      await acceptAll(open, [requestOf(company)]);
      const erasing = erase(sql, company.id);
      await untilBlocked(sql);
      await commit();

      const erased = await erasing;
      assert.equal(erased.kind === "erased" && erased.counts.skipped, 2);
    });
    const left = await sql`select 1 from outbound.notifications where number is not null`;
    assert.equal(left.length, 0);
    assert.equal((await countersOf(sql, campaignId)).pending, undefined);
    await assertConserved(sql);
  }));

function replyTo(sql: postgres.Sql, companyId: string) {
  const reply = { number: NUMBER, user_id: null, recipient_id: null, content: null, reply_to: null };
  return queueReply(
    sql,
    companyId,
    { id: crypto.randomUUID(), kind: "text", text: "Hi", ...reply },
    null,
    CLI,
  );
}

async function insertMessage(sql: postgres.Sql, { id, sender }: SendingCompany): Promise<void> {
  await sql`
    insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at)
    values (${id}, gen_random_uuid(), ${sender.id}, 'in', ${NUMBER}, 'text', 'Hello', 'received', now())`;
}

Deno.test("no reply is queued to a person who is erased meanwhile", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await insertMessage(sql, company);

    await withOpenTransaction(sql, async (open, commit) => {
      await erase(open, company.id);
      let isQueued = false;
      const queuing = replyTo(sql, company.id).finally(() => isQueued = true);
      await untilBlocked(sql, () => isQueued);
      await commit();

      const { outcome, last_message_at } = await queuing;
      assert.deepEqual([outcome, last_message_at], ["window_closed", null]);
    });
    assert.equal((await sql`select from outbound.contact_messages`).length, 0);
  }));

Deno.test("a person to whom a reply is queued meanwhile is erased after it, and it with the person", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await insertMessage(sql, company);

    await withOpenTransaction(sql, async (open, commit) => {
      assert.equal((await replyTo(open, company.id)).outcome, "queued");

      assert.deepEqual(await erase(sql, company.id), { kind: "on_its_way", retryAfterS: 5 });
      await commit();
    });
    assert.equal((await erase(sql, company.id)).kind, "erased");
    assert.equal((await sql`select from outbound.contact_messages`).length, 0);
  }));

Deno.test("what members wrote about a person goes with the person, while a message of theirs is being stored", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await insertMessage(sql, company);
    await sql`update outbound.contact_threads set labels = '{debtor}'`;
    await sql`
      insert into outbound.conversation_notes (company_id, id, conversation_id, actor, text)
      select company_id, gen_random_uuid(), id, 'cli', 'Ill since May' from outbound.contact_threads`;

    await withOpenTransaction(sql, async (open, commit) => {
      await insertMessage(open, company);
      const erasing = erase(sql, company.id);
      await untilBlocked(sql);
      await commit();

      assert.equal((await erasing).kind, "erased");
    });
    const [left] = await sql`
      select (select count(*)::int from outbound.contact_threads) as threads,
        (select count(*)::int from outbound.conversation_notes) as notes,
        (select count(*)::int from outbound.contact_messages) as messages`;
    assert.deepEqual({ ...left }, { threads: 0, notes: 0, messages: 0 });
  }));

Deno.test("a person who is erased by several at once is erased once, and the company has one key", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 2 });
    await suppressContacts(sql, company.id, [optOut(NUMBER), optOut(OTHER)], CLI);

    const results = await withConnections(url, 4, (connections) =>
      Promise.all(
        connections.flatMap((one) => [erase(one, company.id), erase(one, company.id, OTHER)]),
      ));

    const skipped = results.map((result) => result.kind === "erased" ? result.counts.skipped : NaN);
    assert.equal(skipped.reduce((sum, count) => sum + count), 2);
    const [row] = await sql`select count(*)::int as hashes from outbound.erased_contacts`;
    assert.equal(row!.hashes, 2, "both hashed with the one key, however often");
    await assertConserved(sql);
  }));
