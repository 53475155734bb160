import assert from "node:assert/strict";
import type postgres from "postgres";
import { suppress } from "../setup/contacts.ts";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { acceptAll, enqueue, insertSendingCompany, requestOf, type SendingCompany } from "../setup/queue.ts";

const NUMBER = "59171000100";
const OTHER = "59171000199";
const [FIRST, SECOND] = ["BO.First", "BO.Second"];

async function isRefused(sql: postgres.Sql, company: SendingCompany, address: string): Promise<boolean> {
  const [number, user_id] = address.includes(".") ? [null, address] : [address, null];
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
  const moves = [{ account_id: "1", phone_number_id: company.sender.provider_id, from, to, at }];
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
    await sql`update outbound.notifications set number = null, status = 'skipped', skipped_at = now(),
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
    await sql`update outbound.notifications set created_at = now() - interval '1 hour'`;
    const after = await enqueue(sql, company);
    const numbers = async () => {
      const rows = await sql<{ number: string }[]>`
        select n.number from unnest(${[
        ...before.ids,
        ...after.ids,
      ]}::uuid[]) with ordinality as given(id, place)
        join outbound.notifications as n on n.id = given.id order by given.place`;
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
