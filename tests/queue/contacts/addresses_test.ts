import assert from "node:assert/strict";
import type postgres from "postgres";
import { recordNumberAliases } from "../../../supabase/functions/_shared/db/contacts/number_aliases.ts";
import { suppress } from "../../setup/fixtures/contacts.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import {
  acceptAll,
  addMarketingTemplate,
  enqueue,
  insertSendingCompany,
  requestOf,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";

const NUMBER = "59171000100";
const OTHER = "59171000199";
const [FIRST, SECOND] = ["BO.First", "BO.Second"];

async function isRefused(sql: postgres.Sql, company: SendingCompany, address: string): Promise<boolean> {
  const [number, user_id] = address.includes(".") ? [null, address] : [address, null];
  await addMarketingTemplate(sql, company);
  const [verdict] = await acceptAll(sql, [
    requestOf(company, { type: "marketing", addresses: [{ number, user_id }] }),
  ]);
  return verdict!.outcome === "recipients";
}

/** Stores the link that a receipt of a message to the person shows. */
async function receipt(
  sql: postgres.Sql,
  company: SendingCompany,
  { id, user_id, number = NUMBER, minutesAgo = 0 }: {
    id: string;
    user_id: string;
    number?: string;
    minutesAgo?: number;
  },
): Promise<void> {
  const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const links = [{ company_id: company.id, id, user_id, number, at }];
  await sql`select outbound.link_user_ids(${JSON.stringify(links)}::text::json)`;
}

async function move(
  sql: postgres.Sql,
  company: SendingCompany,
  from: string,
  to: string,
  minutesAgo = 0,
): Promise<void> {
  const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const moves = [{ waba_id: "1", phone_number_id: company.sender.platform_id, from, to, at }];
  await sql`select outbound.move_contacts(${JSON.stringify(moves)}::text::json)`;
}

Deno.test("an opt-out under one user id counts under every other of the person, whichever link came last", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids: [id] } = await enqueue(sql, company);
    await receipt(sql, company, { id: id!, user_id: FIRST });
    await suppress(sql, company.id, { user_id: SECOND });
    assert.equal(await isRefused(sql, company, FIRST), false);

    await receipt(sql, company, { id: id!, user_id: SECOND });

    for (const address of [NUMBER, FIRST, SECOND]) {
      assert.equal(await isRefused(sql, company, address), true, address);
    }
  }));

Deno.test("who moves to a number that opted out has opted out under every address", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids: [id] } = await enqueue(sql, company);
    await receipt(sql, company, { id: id!, user_id: FIRST, minutesAgo: 5 });
    await suppress(sql, company.id, { number: OTHER });

    await move(sql, company, NUMBER, OTHER);

    for (const address of [NUMBER, OTHER, FIRST]) {
      assert.equal(await isRefused(sql, company, address), true, address);
    }
  }));

Deno.test("a receipt links nothing for a message that is not ours, or whose recipient was erased", () =>
  withPostgresDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const { ids: [foreign] } = await enqueue(sql, other);
    const { ids: [erased] } = await enqueue(sql, company);
    await sql`update outbound.notification_facts set number = null, status = 'skipped', skipped_at = now(),
      error_code = 'erased' where id = ${erased!}`;

    for (const id of [foreign!, erased!, crypto.randomUUID()]) {
      await receipt(sql, company, { id, user_id: FIRST });
    }

    assert.deepEqual([...await sql`select from outbound.user_ids`], []);
  }));

Deno.test("a move takes along what waited at its time, and a repeated one nothing that came later", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const before = await enqueue(sql, company);
    await sql`update outbound.notification_facts set created_at = now() - interval '1 hour'`;
    const after = await enqueue(sql, company);
    const numbers = async () => {
      const rows = await sql<{ number: string }[]>`
        select n.number from unnest(${[
        ...before.ids,
        ...after.ids,
      ]}::uuid[]) with ordinality as given(id, ord)
        join outbound.notifications as n on n.id = given.id order by given.ord`;
      return rows.map(({ number }) => number);
    };

    await move(sql, company, NUMBER, OTHER, 30);
    assert.deepEqual(await numbers(), [OTHER, NUMBER]);
    await move(sql, company, NUMBER, OTHER, 30);

    assert.deepEqual(await numbers(), [OTHER, NUMBER]);
  }));

Deno.test("a late receipt of a message to the old number does not bring the number back", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids: [id] } = await enqueue(sql, company);
    await receipt(sql, company, { id: id!, user_id: FIRST, minutesAgo: 20 });
    await move(sql, company, NUMBER, OTHER, 10);

    await receipt(sql, company, { id: id!, user_id: FIRST, minutesAgo: 15 });

    assert.deepEqual([...await sql`select number from outbound.user_ids`], [{ number: OTHER }]);
  }));

async function addAlias(
  sql: postgres.Sql,
  company: SendingCompany,
  number: string,
  platform_number: string,
): Promise<void> {
  await recordNumberAliases(sql, [{ company_id: company.id, number, platform_number }]);
}

Deno.test("an opt-out under the platform's alias of a number counts under the company's, before and after", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const [ours, theirs, later] = ["525512345678", "5215512345678", "520445512345678"];
    await suppress(sql, company.id, { number: theirs });
    assert.equal(await isRefused(sql, company, ours!), false, "not known to be the same");

    await addAlias(sql, company, ours!, theirs!);
    await addAlias(sql, company, later!, theirs!);

    for (const number of [ours, theirs, later]) {
      assert.equal(await isRefused(sql, company, number!), true, number);
    }
    await suppress(sql, company.id, { number: "541112345678" });
    await addAlias(sql, company, "541112345678", "5491112345678");
    assert.equal(await isRefused(sql, company, "5491112345678"), true, "the other way round");
  }));

Deno.test("one opt-out is written under every known alias, and under the user ids of each", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids: [id] } = await enqueue(sql, company);
    await receipt(sql, company, { id: id!, user_id: FIRST });
    await addAlias(sql, company, OTHER, NUMBER);

    await suppress(sql, company.id, { number: OTHER });

    for (const address of [NUMBER, OTHER, FIRST]) {
      assert.equal(await isRefused(sql, company, address), true, address);
    }
  }));

Deno.test("a move takes along what waits under another alias of the old number", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await addAlias(sql, company, NUMBER, "591371000100");
    const { ids: [id] } = await enqueue(sql, company, { addresses: [{ number: NUMBER, user_id: null }] });

    await move(sql, company, "591371000100", OTHER);

    const [row] = await sql`select number from outbound.notifications where id = ${id!}`;
    assert.equal(row!.number, OTHER);
  }));

Deno.test("one company's aliases do not apply to another", () =>
  withPostgresDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    await addAlias(sql, other, NUMBER, OTHER);

    await suppress(sql, company.id, { number: OTHER });

    assert.equal(await isRefused(sql, company, NUMBER), false);
  }));
