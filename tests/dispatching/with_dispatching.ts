import assert from "node:assert/strict";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import type { Address } from "../../supabase/functions/_shared/values/address.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import {
  assertConserved,
  enqueue,
  fillBucket,
  knownTemplate,
  letTimePass,
  type Queued,
  type RequestOverrides,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { addMarketing, type TestStack, withStack } from "../setup/stack/stack.ts";
import { withoutFence } from "../setup/fixtures/without_fence.ts";

/** A company with messages to send, a platform to send them to, and dispatchers to run. */
export interface Dispatching extends TestStack {
  /** Queues messages to numbers from 59171000100 on: the simulated platform gives some endings a meaning. */
  enqueue(count: number, overrides?: RequestOverrides): Promise<Queued>;
  /** Queues a message to each of these recipients. */
  enqueueTo(addresses: Address[]): Promise<Queued>;
  /** Runs one dispatcher while `fn` does, and stops it afterwards. */
  running(fn: () => Promise<void>, services?: Services): Promise<void>;
  /** As if this much time had gone by; the sender may send again at once. */
  later(seconds: number): Promise<void>;
  /** How often each notification was taken by the platform, whichever attempt it was; by reference. */
  taken(): Promise<Map<string, number>>;
}

/** The two values of the template's body. */
const MESSAGE = [{
  type: "body",
  parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "A-17" }],
}];

/** The number of the nth message that `enqueue` queues, from 0. */
export function numberOf(index: number): string {
  return String(59_171_000_100 + index);
}

/**
 * Calls `fn` with a service, its platform and a company whose rate nothing limits, then checks that the counters of
 * every campaign are right.
 */
export async function withDispatching(
  fn: (t: Dispatching) => Promise<void>,
  env: Record<string, string> = {},
  services: Partial<Services> = {},
): Promise<void> {
  await withStack(async (stack) => {
    const { sql, sandbox, sender } = stack;
    await sql`update outbound.senders set rate_per_second = 100000`;
    await sandbox.configure({ rate_per_second: 0 });
    const company = await sendingCompany(stack);
    const later = async (seconds: number) => {
      await letTimePass(sql, seconds);
      await fillBucket(sql, sender.id);
    };
    await later(0);
    await fn({
      ...stack,
      enqueue: (count, overrides) => enqueue(sql, company, { count, message: MESSAGE, ...overrides }),
      enqueueTo: (addresses) => enqueue(sql, company, { message: MESSAGE, addresses }),
      running: (during, services = stack.dispatcherServices) => whileRunning(services, during),
      later,
      taken: async () => countReferences(await sandbox.messages({ limit: "10000" })),
    });
    await assertConserved(sql);
  }, { env, services });
}

async function sendingCompany(stack: TestStack): Promise<SendingCompany> {
  const { sql, company, key, sender, template } = stack;
  return {
    ...{ id: company.id, key, sender },
    template: await knownTemplate(sql, template),
    marketing: await knownTemplate(sql, await addMarketing(stack)),
  };
}

async function whileRunning(services: Services, during: () => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const dispatcher = runDispatcher(services, { signal: controller.signal });
  try {
    await during();
  } finally {
    controller.abort();
    await dispatcher;
  }
}

function countReferences(messages: JsonObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { biz_opaque_callback_data } of messages) {
    const reference = withoutFence(biz_opaque_callback_data);
    counts.set(reference, (counts.get(reference) ?? 0) + 1);
  }
  return counts;
}

/** Fails unless every message comes to this state soon. */
export async function eventuallyAll(
  { sql }: Pick<TestStack, "sql">,
  { ids }: Queued,
  status: string,
  withinMs?: number,
): Promise<void> {
  await eventually(async () => {
    const rows = await sql<{ status: string; count: number }[]>`
      select status, count(*)::int from outbound.notifications where id = any (${ids}) group by status`;
    assert.deepEqual([...rows], [{ status, count: ids.length }]);
  }, withinMs);
}
