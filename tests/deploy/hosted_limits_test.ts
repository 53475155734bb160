import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../setup/database.ts";
import { eventually } from "../setup/eventually.ts";
import { deployedSlugs } from "../setup/function_folders.ts";
import { notifyBody } from "../setup/notify_body.ts";
import { withSandbox } from "../setup/sandbox.ts";
import { TEST_ENV } from "../setup/services.ts";
import { skipped } from "../setup/skipped.ts";
import { insertTenant } from "../setup/stack.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import {
  bundleFunctions,
  hostedDeno,
  type HostedFunction,
  LIMITS,
  withHostedFunction,
} from "./hosted_function.ts";

/** A run of `dispatch` ends after so many messages (post_dispatch.ts). */
const MESSAGES_PER_RUN = 4000;
const CONTACTS_PER_REQUEST = 100;
const REQUESTS = 45;
/** A run stops after this time at the latest. */
const RUN_MS = 50_000;
/** The hosted runtime ends a worker after this time. */
const WORKER_MS = 150_000;

function functionEnv(databaseUrl: string, sandboxUrl = "http://127.0.0.1:9"): Record<string, string> {
  return {
    ...TEST_ENV,
    SUPABASE_DB_URL: databaseUrl,
    SUPABASE_URL: "http://127.0.0.1:9",
    SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_test"}',
    SUPABASE_SECRET_KEYS: '{"default":"sb_secret_test"}',
    WHATSAPP_API_URL: sandboxUrl,
  };
}

Deno.test("every function alone fits Supabase's limits: its bundle, its start and its first request", () =>
  withTestDatabase(({ url }) =>
    withTempFolder(async (folder) => {
      const deno = await hostedDeno();
      if (deno === undefined) return skipped("Supabase's limits", "npx could not get deno@2.1.4");
      const bundles = await bundleFunctions(await deployedSlugs(), folder);
      for (const [slug, bundle] of bundles) {
        const { size } = await Deno.stat(bundle);
        assert.ok(size < LIMITS.bundleBytes, `${slug}: ${size} bytes`);
        await withHostedFunction({ deno, bundle, env: functionEnv(url) }, async (hosted) => {
          const response = await fetch(`${hosted.url}/${slug}`);
          const text = await response.text();

          assert.ok(response.status < 500, `${slug}: ${response.status} ${text}`);
          const [cpu, memory] = [await hosted.cpuMs(), await hosted.peakMib()];
          assert.ok(cpu < LIMITS.cpuMs, `${slug} took ${cpu} ms of CPU to start and respond`);
          assert.ok(memory < LIMITS.memoryMib, `${slug} took ${memory} MiB`);
        });
      }
    })
  ));

Deno.test("notify accepts 100 contacts within Supabase's limits; a run of dispatch stops by itself, within its memory", () =>
  withTestDatabase(({ sql, url }) =>
    withSandbox(TEST_ENV.WHATSAPP_APP_SECRET, (sandbox) =>
      withTempFolder(async (folder) => {
        const deno = await hostedDeno();
        if (deno === undefined) {
          return skipped("Supabase's limits under load", "npx could not get deno@2.1.4");
        }
        await sandbox.configure({ webhooks: false });
        const tenant = await insertTenant({ sql }, sandbox);
        await sql`update outbound.senders set rate_per_second = 1000`;
        const bundles = await bundleFunctions(["notify", "dispatch"], folder);
        const env = functionEnv(url, sandbox.url);

        await withHostedFunction({ deno, bundle: bundles.get("notify")!, env }, (notify) =>
          fill(notify, tenant));
        await withHostedFunction({ deno, bundle: bundles.get("dispatch")!, env }, (dispatch) =>
          empty(dispatch, sql));
      }))
  ));

/** Sends more notifications to `notify` than one run of `dispatch` takes, and checks what each request costs. */
async function fill(notify: HostedFunction, tenant: Awaited<ReturnType<typeof insertTenant>>): Promise<void> {
  for (let request = 0; request < REQUESTS; request++) {
    const before = await notify.cpuMs();
    const response = await fetch(`${notify.url}/notify?access_key=${tenant.key.key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(notifyBody(tenant, { contact: undefined, contacts: contacts(request) })),
    });
    const text = await response.text();
    const cpu = await notify.cpuMs() - before;

    assert.equal(response.status, 200, text);
    assert.ok(cpu < LIMITS.cpuMs, `request ${request} took ${cpu} ms of CPU`);
  }
  assert.ok(await notify.peakMib() < LIMITS.memoryMib, `${await notify.peakMib()} MiB`);
}

/** Lets `dispatch` run twice, and checks the end and the memory of the first run. */
async function empty(dispatch: HostedFunction, sql: postgres.Sql): Promise<void> {
  const startedAt = performance.now();
  await startRun(dispatch.url);
  await dispatch.firstBackgroundEnd;
  const tookMs = performance.now() - startedAt;
  const [sent, memory] = [await countSent(sql), await dispatch.peakMib()];

  // On a busy machine the time of a run is over first.
  const stopped = sent === MESSAGES_PER_RUN || sent < MESSAGES_PER_RUN && tookMs > RUN_MS;
  assert.ok(stopped && tookMs < WORKER_MS, `${sent} messages in ${tookMs} ms`);
  assert.ok(memory < LIMITS.memoryMib, `a run took ${memory} MiB`);
  await startRun(dispatch.url);
  await eventually(async () => assert.ok(await countSent(sql) > sent), RUN_MS);
}

/** Others for each request: the platform limits the messages to one person. */
function contacts(request: number): { number: string; name: string }[] {
  return Array.from({ length: CONTACTS_PER_REQUEST }, (_, index) => ({
    number: `34600${String(request * CONTACTS_PER_REQUEST + index).padStart(6, "0")}`,
    name: "Asha",
  }));
}

async function startRun(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${TEST_ENV.DISPATCH_SECRET}` };
  const response = await fetch(`${url}/dispatch`, { method: "POST", headers });
  const text = await response.text();
  assert.equal(response.status, 202, text);
}

async function countSent(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ sent: number }[]>`
    select count(*)::int as sent from outbound.notifications where status = 'sent'`;
  return row!.sent;
}
