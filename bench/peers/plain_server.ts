/**
 * The checks of `POST /notify` written plainly: Hono and zod; the key by its SHA-256, the sender and the template by a query
 * each; a campaign and a notification in one transaction. No limits, no quota, no queue, no sharing of round trips.
 * Usage: plain_server.ts DATABASE_URL PORT ACCESS_KEY SENDER TEMPLATE LANGUAGE
 *
 * @module
 */
import { Hono } from "hono";
import { createHash } from "node:crypto";
import postgres from "postgres";
import { z } from "zod";
import { print } from "../../cli/terminal/print.ts";

const [url, port, accessKey, senderNumber, templateName, language] = Deno.args;
/** As many connections as our API has. */
const sql = postgres(url!, { max: 8 });
const request = z.object({
  contact: z.object({ number: z.string().regex(/^[1-9][0-9]{6,14}$/), name: z.string().optional() }),
  name_template: z.string().min(1),
  language_template: z.string().min(1),
  recipient_id: z.string().min(1),
  notification_type: z.enum(["marketing", "transactional", "utility"]),
  campaign_name: z.string().min(1),
  datetime_sending: z.iso.datetime({ local: true }).optional(),
  components_push: z.record(z.string(), z.string()),
});

const hashOf = (key: string) => createHash("sha256").update(key).digest("hex");

await sql.unsafe(`
  create table api_keys (
    key_hash text primary key, company_id uuid not null, permissions text[] not null, is_active boolean not null
  );
  create table senders (
    id uuid primary key, company_id uuid not null, number text not null, status text not null, unique (company_id, number)
  );
  create table templates (
    id uuid primary key, company_id uuid not null, name text not null, language text not null, status text not null,
    variables text[] not null, unique (company_id, name, language)
  );
  create table campaigns (
    id uuid primary key default gen_random_uuid(), company_id uuid not null, name text not null, type text not null,
    sender_id uuid not null references senders, template_id uuid not null references templates,
    created_at timestamptz not null default now()
  );
  create table notifications (
    id uuid primary key default gen_random_uuid(), campaign_id uuid not null references campaigns, number text not null,
    message jsonb not null, status text not null, run_at timestamptz not null, created_at timestamptz not null default now()
  );
  create index on notifications (run_at) where status = 'queued'`);
const companyId = crypto.randomUUID();
await sql`insert into api_keys values (${hashOf(accessKey!)}, ${companyId}, '{chatapp_notifications}', true)`;
await sql`insert into senders values (gen_random_uuid(), ${companyId}, ${senderNumber!}, 'active')`;
await sql`insert into templates values
  (gen_random_uuid(), ${companyId}, ${templateName!}, ${language!}, 'approved', '{body_text_0,body_text_1}')`;

const app = new Hono();
app.post("/notify", async (c) => {
  const [key] = await sql`
    select company_id, permissions from api_keys
    where key_hash = ${hashOf(c.req.query("access_key") ?? "")} and is_active`;
  if (!key) return c.json({ error: "unauthorized" }, 401);
  if (!key.permissions.includes("chatapp_notifications")) return c.json({ error: "forbidden" }, 403);
  const parsed = request.safeParse(await c.req.json());
  if (!parsed.success) return c.json({ error: "validation_failed", details: parsed.error.issues }, 400);
  const { contact, ...fields } = parsed.data;
  const [sender] = await sql`
    select id from senders
    where company_id = ${key.company_id} and number = ${fields.recipient_id} and status = 'active'`;
  if (!sender) return c.json({ error: "sender_unknown" }, 400);
  const [template] = await sql`
    select id, status, variables from templates
    where company_id = ${key.company_id} and name = ${fields.name_template} and language = ${fields.language_template}`;
  if (!template) return c.json({ error: "template_not_found" }, 404);
  if (template.status !== "approved") return c.json({ error: "template_not_approved" }, 422);
  const values = template.variables.map((name: string) => fields.components_push[name]);
  if (values.includes(undefined)) return c.json({ error: "variable_mismatch" }, 422);
  const text = values.map((value: string) => value.replaceAll("{{name}}", contact.name ?? ""));
  const runAt = fields.datetime_sending ? new Date(`${fields.datetime_sending}Z`) : new Date();
  const id = await sql.begin(async (sql) => {
    const [campaign] = await sql`
      insert into campaigns (company_id, name, type, sender_id, template_id) values
        (${key.company_id}, ${fields.campaign_name}, ${fields.notification_type}, ${sender.id}, ${template.id})
      returning id`;
    await sql`
      insert into notifications (campaign_id, number, message, status, run_at) values
        (${campaign!.id}, ${contact.number}, ${sql.json(text)}, 'queued', ${runAt})`;
    return campaign!.id;
  });
  return c.json({ success: true, message: "Notification queued", inquiry_set_id: id });
});

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen: () => print("ready") }, app.fetch);
