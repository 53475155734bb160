import assert from "node:assert/strict";
import { createRefusalRecorder } from "../../supabase/functions/webhooks/refused_events.ts";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { enqueue, insertSendingCompany, type SendingCompany } from "../setup/fixtures/queue.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";

interface RefusedEvents {
  company: SendingCompany;
  /** Of a notification that is there. */
  reference: string;
  /** A refused body, `seconds` after the first. */
  refuse(body: string, seconds: number): void;
  /** The accounts recorded since the last time, and with how many queries. */
  recorded(): Promise<{ accounts: string[]; queries: number }>;
}

async function withRefusedEvents(fn: (t: RefusedEvents) => Promise<void>): Promise<void> {
  await withServices(async ({ services, sql }: TestServices) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    let at = Date.UTC(2030, 0);
    let work: Promise<unknown>[] = [];
    const record = createRefusalRecorder({
      ...services,
      now: () => new Date(at),
      inBackground: (promise) => void work.push(promise),
    });
    await fn({
      company,
      reference: writeReference({ companyId: company.id, notificationId: ids[0]!, fence: 1 }),
      refuse(body, seconds) {
        at = Date.UTC(2030, 0) + seconds * 1000;
        record(new TextEncoder().encode(body));
      },
      async recorded() {
        const queries = work.length;
        await Promise.all(work);
        work = [];
        const rows = await sql`delete from outbound.account_signals returning waba_id`;
        return { accounts: rows.map(({ waba_id }) => waba_id), queries };
      },
    });
  });
}

function eventWith(reference: string, wabaId = "100"): string {
  const statuses = [{ id: "wamid.A", status: "sent", biz_opaque_callback_data: reference }];
  const changes = [{ field: "messages", value: { statuses } }];
  return JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: wabaId, changes }] });
}

Deno.test("createRefusalRecorder() records the account of a notification that a refused event names", () =>
  withRefusedEvents(async (t) => {
    t.refuse(eventWith(t.reference), 0);

    assert.deepEqual(await t.recorded(), { accounts: [t.company.sender.waba_id], queries: 1 });
  }));

Deno.test("createRefusalRecorder() records nothing of what strangers can make up, though it names our account", () =>
  withRefusedEvents(async (t) => {
    const { company } = t;
    const madeUp = writeReference({ companyId: company.id, notificationId: crypto.randomUUID(), fence: 1 });
    const bodies = [
      "{",
      "null",
      "[".repeat(100_000),
      eventWith("another service's", company.sender.waba_id!),
      eventWith(t.reference) + " ".repeat(1024 * 1024),
    ];

    bodies.forEach((body, index) => t.refuse(body, 2 * index));
    const unread = await t.recorded();
    t.refuse(eventWith(madeUp, company.sender.waba_id!), 2 * bodies.length);

    assert.deepEqual(unread, { accounts: [], queries: 0 });
    assert.deepEqual(await t.recorded(), { accounts: [], queries: 1 });
  }));

Deno.test("createRefusalRecorder() reads one body per second, however many are refused", () =>
  withRefusedEvents(async (t) => {
    for (let n = 0; n < 100; n++) t.refuse(eventWith(t.reference), 0.5);
    const first = await t.recorded();
    t.refuse(eventWith(t.reference), 1.6);

    assert.equal(first.queries, 1);
    assert.deepEqual(await t.recorded(), { accounts: [t.company.sender.waba_id], queries: 1 });
  }));
