import type postgres from "postgres";
import { createDeliver } from "../../supabase/functions/_shared/dispatching/deliver.ts";
import { createLookout } from "../../supabase/functions/_shared/dispatching/lookout.ts";
import { createNotificationSender } from "../../supabase/functions/_shared/dispatching/send_notifications.ts";
import { createReplySender } from "../../supabase/functions/_shared/dispatching/send_replies.ts";
import { createDeliveries } from "../../supabase/functions/_shared/events_out/deliveries.ts";
import type { Sender } from "../../supabase/functions/_shared/sending/sender.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { withHttpServer } from "../_shared/gateways/local_server.ts";
import { enqueue, insertSendingCompany, type SendingCompany } from "../setup/fixtures/queue.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import { insertEvents, insertWebhook } from "../setup/fixtures/webhooks.ts";

/** The service, a company, and one server that is both the platform and the company's endpoint. */
export interface Environment extends TestServices {
  company: SendingCompany;
  /** The ids of the rows whose requests reached the server, in order. */
  received: string[];
}

/** A row as every queue has it. */
export interface RowState {
  id: string;
  state: "waiting" | "claimed" | "sent" | "other";
  /** Attempts that count. */
  attempt: number;
}

/** One of the queues that `createSender` serves. */
export interface TestedQueue {
  name: string;
  /** Queues rows that are due. Returns their ids. */
  fill(t: Environment, count: number): Promise<string[]>;
  create(services: Services, signal: AbortSignal): Sender;
  statesOf(t: Environment): Promise<RowState[]>;
  /** The SQL functions that claim and finish. */
  functions: { claim: string; finish: string };
}

async function fillReplies({ sql, company }: Environment, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, kind, text, status, run_at, expires_at, at
    )
    select ${company.id}, gen_random_uuid(), ${company.sender.id}, 'out', (34600000100 + n)::text, 'text', 'Hi',
      'queued', now(), now() + interval '1 hour', now()
    from generate_series(1, ${count}) as n returning id`;
  await sql`select outbound.repair_reply_schedule()`;
  return rows.map(({ id }) => id);
}

/** The three queues. */
export const QUEUES: TestedQueue[] = [
  {
    name: "notifications",
    async fill({ sql, company }, count) {
      return (await enqueue(sql as unknown as postgres.Sql, company, { count })).ids;
    },
    create: (services, signal) =>
      createNotificationSender(services, {
        signal,
        lookout: createLookout(services.sql),
        deliver: createDeliver(services, undefined),
      }),
    statesOf: async ({ sql }) =>
      await sql<RowState[]>`
        select id, attempt::int, case when status in ('queued', 'scheduled') then 'waiting'
          when status = 'sending' then 'claimed' when status = 'sent' then 'sent' else 'other' end as state
        from outbound.notifications order by id`,
    functions: { claim: "claim_notifications", finish: "finish_notifications" },
  },
  {
    name: "replies",
    fill: fillReplies,
    create: (services, signal) => createReplySender(services, { signal, connections: undefined }),
    statesOf: async ({ sql }) =>
      await sql<RowState[]>`
        select id, attempt::int, case status when 'queued' then 'waiting' when 'sending' then 'claimed'
          when 'sent' then 'sent' else 'other' end as state
        from outbound.contact_messages where direction = 'out' order by id`,
    functions: { claim: "claim_replies", finish: "finish_replies" },
  },
  {
    name: "deliveries",
    fill: ({ sql, company }, count) => insertEvents(sql as unknown as postgres.Sql, company.id, count),
    create: (services, signal) => createDeliveries(services, { signal }),
    statesOf: async ({ sql }) =>
      await sql<RowState[]>`
        select event_id as id, case when worker is null and status = 'pending' then attempt - 1 else attempt end as attempt,
          case when status = 'succeeded' then 'sent' when status <> 'pending' then 'other'
            when worker is null then 'waiting' else 'claimed' end as state
        from outbound.webhook_deliveries order by event_id, webhook_deliveries.attempt`,
    functions: { claim: "claim_deliveries", finish: "finish_deliveries" },
  },
];

/** Returns the id of the row that a request carries. */
function rowOf(headers: Headers, body: string): string {
  const reference: string | undefined = JSON.parse(body).biz_opaque_callback_data;
  return headers.get("webhook-id") ?? reference!.replace("reply:", "").split(":")[1]!;
}

/** Calls `fn` with the environment; the server takes everything, once `respond` resolves. */
export async function withQueues(
  fn: (t: Environment) => Promise<void>,
  respond: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const received: string[] = [];
  await withHttpServer(async (request) => {
    received.push(rowOf(request.headers, await request.text()));
    const id = `wamid.${received.length}`;
    await respond();
    return Response.json({ messages: [{ id }] });
  }, (url) =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql as unknown as postgres.Sql);
      // Only the deliveries that a test queues: a webhook without types would get the end of each notification too.
      await insertWebhook(t.sql as unknown as postgres.Sql, company.id, {
        url: `${url}/events`,
        event_types: ["handoff.ended"],
      });
      await fn({ ...t, company, received });
    }, { env: { WHATSAPP_API_URL: url, OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } }));
}

/** A way to disturb the queries of one SQL function. */
export interface Interference {
  /** Called before the query. What it throws is its failure; the database never sees it. */
  before?(args: string): void;
  /** Called when the database has executed the query. What it throws is how its response was lost. */
  after?(rows: unknown[]): void;
}

/** Returns `sql`, with interference by name of the SQL function. */
export function interfereWith(sql: Services["sql"], by: Record<string, Interference>): Services["sql"] {
  return new Proxy(sql, {
    apply(target, _this, args) {
      const text = Array.isArray(args[0]) ? args[0].join("?") : "";
      const [, interference] = Object.entries(by).find(([name]) => text.includes(`outbound.${name}(`)) ?? [];
      if (!interference) return Reflect.apply(target, undefined, args);
      return (async () => {
        interference.before?.(JSON.stringify(args.slice(1)));
        const rows = await Reflect.apply(target, undefined, args);
        interference.after?.(rows);
        return rows;
      })();
    },
  });
}

/** An error as the driver reports those of the database. */
export function databaseError(code: string): Error {
  return Object.assign(new Error(code), { name: "PostgresError", code });
}
