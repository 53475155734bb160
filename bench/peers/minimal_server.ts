/**
 * The least that stores a notification: Hono, zod, one INSERT a request (or one of many rows). No key, no template, no
 * limit, no queue. Usage: minimal_server.ts DATABASE_URL PORT
 *
 * @module
 */
import { Hono } from "hono";
import postgres from "postgres";
import { z } from "zod";
import { print } from "../../cli/terminal/print.ts";

const [url, port] = Deno.args;
const sql = postgres(url!, { max: 10 });
const contact = z.object({ number: z.string().regex(/^[1-9][0-9]{6,14}$/), name: z.string().optional() });
const request = z.object({
  contact: contact.optional(),
  contacts: z.array(contact).max(100).optional(),
  name_template: z.string(),
  language_template: z.string(),
  recipient_id: z.string(),
  notification_type: z.enum(["marketing", "transactional", "utility"]),
  campaign_name: z.string(),
  datetime_sending: z.string().optional(),
  components_push: z.record(z.string(), z.string()),
});

await sql`
  create table if not exists notifications (
    id uuid primary key default gen_random_uuid(), number text not null, template text not null, language text not null,
    sender text not null, type text not null, campaign text not null, message jsonb not null,
    created_at timestamptz not null default now()
  )`;

const app = new Hono();
app.post("/notify", async (c) => {
  const parsed = request.safeParse(await c.req.json());
  if (!parsed.success) return c.json({ error: "validation_failed" }, 400);
  const { contact, contacts, ...fields } = parsed.data;
  const rows = (contacts ?? [contact!]).map(({ number }) => ({
    number,
    template: fields.name_template,
    language: fields.language_template,
    sender: fields.recipient_id,
    type: fields.notification_type,
    campaign: fields.campaign_name,
    message: sql.json(fields.components_push) as never,
  }));
  const [row] = await sql`insert into notifications ${sql(rows)} returning id`;
  return c.json({ success: true, message: "Stored", inquiry_set_id: row!.id });
});

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen: () => print("ready") }, app.fetch);
