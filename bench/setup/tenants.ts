import postgres from "postgres";
import { uuidv7 } from "../../supabase/functions/_shared/values/uuid.ts";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import {
  type CompanyFixture,
  insertCompany,
  insertKey,
  insertSender,
  insertTemplate,
  type KeyFixture,
  type SenderFixture,
  type TemplateFixture,
} from "../../tests/setup/fixtures/fixtures.ts";
import { insertQueued } from "../../tests/setup/fixtures/insert_queued.ts";

/** A company that may send as fast as it can. */
export interface Tenant {
  company: CompanyFixture;
  key: KeyFixture;
  sender: SenderFixture;
  template: TemplateFixture;
}

/** So high that nothing is ever held back by it. */
const NO_LIMIT = 1_000_000_000;
const NO_RATE = 1_000_000;

/** Migrates an empty database. */
export async function migrate(url: string): Promise<postgres.Sql> {
  const sql = postgres(url, { max: 4, onnotice: () => {} });
  await applyMigrations(sql);
  return sql;
}

/** Adds a company with a key, a sender and a template of two variables. */
export async function addTenant(sql: postgres.Sql, { ratePerSecond = NO_RATE } = {}): Promise<Tenant> {
  const company = await insertCompany(sql);
  const key = await insertKey(sql, company.id, { rate_limit: NO_LIMIT, daily_quota: NO_LIMIT });
  const sender = await insertSender(sql, company.id, { rate_per_second: ratePerSecond });
  const template = await insertTemplate(sql, sender);
  return { company, key, sender, template };
}

/** The two values of the template's body, as the platform takes them. */
const MESSAGE = [{
  type: "body",
  parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "A-1001" }],
}];

/** How notifications are put into the database, without the API. */
export interface Filling {
  count: number;
  /** Seconds from now until they are due. */
  dueInS?: number;
  /** `sent`: history. */
  status?: "queued" | "sent";
}

/** Puts one campaign of any size into the database. Returns its id. */
export async function fillCampaign(
  sql: postgres.Sql,
  { company, key, sender, template }: Tenant,
  { count, dueInS = 0, status = "queued" }: Filling,
): Promise<string> {
  const id = uuidv7();
  const sent = status === "sent" ? count : 0;
  await sql.begin(async (sql) => {
    await sql`
      insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id,
        template_name, template_language, template_shape, total, pending, sent, completed_at)
      select ${company.id}, ${id}, ${key.id}, 'whatsapp', 'Bench', 'utility', ${sender.id}, t.id, t.name, t.language,
        t.shape, ${count}, ${count - sent}, ${sent}, ${sent === count ? new Date() : null}
      from outbound.templates as t where t.id = ${template.id}`;
    if (status === "sent") {
      await sql`
        insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status, attempt,
          fence, platform_message_id, sent_at)
        select ${company.id}, gen_random_uuid(), ${id}, ${sender.id}, (34600000000 + n)::text, ${
        sql.json(MESSAGE)
      }::json, 'sent', 1, 1, 'wamid.' || ${id}::text || n, now() - interval '1 ms' * n
        from generate_series(1, ${count}::int) as n`;
    } else {
      await insertQueued(
        sql,
        sql`
        select ${company.id}::uuid as company_id, gen_random_uuid() as id, ${id}::uuid as campaign_id,
          ${sender.id}::uuid as sender_id, 1 as priority, (34600000000 + n)::text as number,
          ${sql.json(MESSAGE)}::json as message, due.at as run_at, null::timestamptz as held_run_at,
          due.at + interval '1 day' as expires_at
        from generate_series(1, ${count}::int) as n, (select now() + make_interval(secs => ${dueInS}) as at) as due`,
      );
    }
    await sql`select outbound.repair_sender_schedule()`;
  });
  return id;
}

/** Adds companies with one sender each, and one message that it sends next week. */
export async function addNeighbours(sql: postgres.Sql, count: number): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`
      with company as (
        insert into outbound.companies (id, name)
        select gen_random_uuid(), 'Neighbour ' || n from generate_series(1, ${count}::int) as n
        returning id
      ),
      key as (
        insert into outbound.api_keys (company_id, id, key_hash, key_sealed, permissions)
        select id, gen_random_uuid(), encode(sha256(id::text::bytea), 'hex'), 'sealed', '{chatapp_notifications}'
        from company returning company_id, id
      ),
      sender as (
        insert into outbound.senders (company_id, channel, number, platform_id, waba_id, token_sealed)
        select id, 'whatsapp', '34911222333', 'neighbour', '1', 'sealed' from company returning company_id, id
      ),
      campaign as (
        insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id,
          template_id, template_name, template_language, scheduled_time, total, pending)
        select s.company_id, gen_random_uuid(), k.id, 'whatsapp', 'Neighbour', 'utility', s.id, gen_random_uuid(),
          'hello', 'en', now() + interval '7 days', 1, 1
        from sender as s join key as k using (company_id)
        returning company_id, id, sender_id, scheduled_time
      ),
      fact as (
        insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message)
        select company_id, gen_random_uuid(), id, sender_id, '34600111222', '[]' from campaign
        returning company_id, id, campaign_id, sender_id
      )
      insert into outbound.queue (company_id, id, campaign_id, sender_id, priority, is_scheduled, run_at, expires_at)
      select f.company_id, f.id, f.campaign_id, f.sender_id, 1, true, g.scheduled_time,
        g.scheduled_time + interval '1 day'
      from fact as f join campaign as g on g.id = f.campaign_id`;
    await sql`select outbound.repair_sender_schedule()`;
  });
}
