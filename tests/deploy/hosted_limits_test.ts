import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import { createCertificate } from "../../bench/setup/certificate.ts";
import { bundleFunctions } from "../../cli/functions_build/bundle_functions.ts";
import { loadEnv } from "../../supabase/functions/_shared/env.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { printFigures } from "../faults/figures.ts";
import { deployedSlugs } from "../setup/http/function_folders.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { withSandbox } from "../setup/stack/sandbox.ts";
import { TEST_ENV } from "../setup/stack/services.ts";
import { skipped } from "../setup/skipped.ts";
import { insertTenant } from "../setup/stack/stack.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { hostedDeno, type HostedFunction, LIMITS, withHostedFunction } from "./hosted_function.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { OUTBOUND_DISPATCH_RUN_MESSAGES: MESSAGES_PER_RUN } = loadEnv({
  ...TEST_ENV,
  DATABASE_URL: "postgres://127.0.0.1:9/none",
});
/** Half of what a worker may have is for its requests. */
const MAX_START_MIB = LIMITS.memoryMib / 2;
/** Of the function with the most routes, and of the one whose first request a client waits for. */
const MAX_MANAGE_MIB = 125;
const MAX_NOTIFY_MS = 300;
/** The time that `health`, which does least, takes to start and respond on the machine that the limits are meant for. */
const HEALTH_MS = 90;
/** Of the platform, as seen from another region. */
const LATENCY_MS = 100;
const CONTACTS_PER_REQUEST = 100;
/** A run stops after this time at the latest. */
const RUN_MS = 10_000;
/** At about half its processor time, a worker takes no more requests: a run that begins just before must still fit. */
const CPU_MS_PER_RUN = LIMITS.cpuMs / 2;
/** Messages per second: so few that time ends a run, a sender's default, and more than a run can use. */
const RATES = [10, 80, 1000];

function functionEnv(databaseUrl: string): Record<string, string> {
  return {
    ...TEST_ENV,
    OUTBOUND_LOG_LEVEL: "info",
    SUPABASE_DB_URL: databaseUrl,
    SUPABASE_URL: "http://127.0.0.1:9",
    SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_test"}',
    SUPABASE_SECRET_KEYS: '{"default":"sb_secret_test"}',
  };
}

Deno.test("every function alone fits Supabase's limits: its bundle, its start and its first request", () =>
  withTestDatabase(({ url }) =>
    withTempFolder(async (folder) => {
      const deno = await hostedDeno();
      if (deno === undefined) return skipped("Supabase's limits", "npx could not get deno@2.1.4");
      const bundles = await bundleFunctions(ROOT, await deployedSlugs(), folder);
      const slowness = await slownessOf({ deno, bundle: bundles.get("health")!, env: functionEnv(url) });
      for (const [slug, bundle] of bundles) {
        const { size } = await Deno.stat(bundle);
        assert.ok(size < LIMITS.bundleBytes, `${slug}: ${size} bytes`);
        const { cpu, memory } = await startOnce({ deno, bundle, env: functionEnv(url) }, slug);
        printFigures(slug, { "ms of CPU": cpu, MiB: Math.round(memory) });
        assert.ok(
          cpu < (slug === "notify" ? MAX_NOTIFY_MS : LIMITS.cpuMs) * slowness,
          `${slug} took ${cpu} ms of CPU to start and respond, on a machine that is ${slowness} times as slow`,
        );
        assert.ok(
          memory < (slug === "manage" ? MAX_MANAGE_MIB : MAX_START_MIB),
          `${slug} took ${memory} MiB`,
        );
      }
    })
  ));

type Hosting = Parameters<typeof withHostedFunction>[0];

/** Starts a function, sends it its first request, and returns what both cost. */
function startOnce(hosting: Hosting, slug: string): Promise<{ cpu: number; memory: number }> {
  return withHostedFunction(hosting, async (hosted) => {
    const response = await fetch(`${hosted.url}/${slug}`);
    const text = await response.text();

    assert.ok(response.status < 500, `${slug}: ${response.status} ${text}`);
    return { cpu: await hosted.cpuMs(), memory: await hosted.peakMib() };
  });
}

/** How many times as long this machine takes for the same work, now; at least 1. */
async function slownessOf(health: Hosting): Promise<number> {
  return Math.max(1, (await startOnce(health, "health")).cpu / HEALTH_MS);
}

Deno.test("notify accepts 100 contacts within Supabase's limits, and so do runs of dispatch, which end by themselves", () =>
  withTestDatabase(({ sql, url }) =>
    withSandbox(
      TEST_ENV.WHATSAPP_APP_SECRET,
      (sandbox) =>
        withTempFolder((folder) =>
          withTlsInFront(sandbox.url, folder, async (platform) => {
            const deno = await hostedDeno();
            if (deno === undefined) {
              return skipped("Supabase's limits under load", "npx could not get deno@2.1.4");
            }
            await sandbox.configure({ webhooks: false, rate_per_second: 0, latency_ms: LATENCY_MS });
            const tenant = await insertTenant({ sql }, sandbox);
            const bundles = await bundleFunctions(ROOT, ["health", "notify", "dispatch"], folder);
            const env = { ...functionEnv(url), ...platform };
            const slowness = await slownessOf({ deno, bundle: bundles.get("health")!, env });

            await withHostedFunction({ deno, bundle: bundles.get("notify")!, env }, (notify) =>
              fill(notify, tenant, slowness));
            for (const rate of RATES) {
              await sql`update outbound.senders set rate_per_second = ${rate}`;
              await withHostedFunction({ deno, bundle: bundles.get("dispatch")!, env }, (dispatch) =>
                runTwice(dispatch, sql, rate, slowness));
            }
          })
        ),
    )
  ));

/** Calls `fn` with the settings that lead a function to a platform over TLS; without `openssl`, there is none. */
async function withTlsInFront(
  sandboxUrl: string,
  folder: string,
  fn: (settings: Record<string, string>) => Promise<void>,
): Promise<void> {
  const certificate = await createCertificate(folder);
  if (certificate === undefined) return await fn({ WHATSAPP_API_URL: sandboxUrl });
  const [cert, key] = [
    await Deno.readTextFile(certificate.certFile),
    await Deno.readTextFile(certificate.keyFile),
  ];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
    ({ url, method, headers, body }) => {
      const { pathname, search } = new URL(url);
      return fetch(`${sandboxUrl}${pathname}${search}`, { method, headers, body });
    },
  );
  try {
    await fn({
      WHATSAPP_API_URL: `https://127.0.0.1:${server.addr.port}`,
      DENO_CERT: certificate.certFile,
    });
  } finally {
    await closeServer(server);
  }
}

/** Sends notifications to `notify` for two runs of `dispatch` at each rate, and some more; checks what each request costs. */
async function fill(
  notify: HostedFunction,
  tenant: Awaited<ReturnType<typeof insertTenant>>,
  slowness: number,
): Promise<void> {
  const requests = Math.ceil((2 * RATES.length + 1) * MESSAGES_PER_RUN / CONTACTS_PER_REQUEST);
  for (let request = 0; request < requests; request++) {
    const before = await notify.cpuMs();
    const response = await fetch(`${notify.url}/notify?access_key=${tenant.key.key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(notifyBody(tenant, { contact: undefined, contacts: contacts(request) })),
    });
    const text = await response.text();
    const cpu = await notify.cpuMs() - before;

    assert.equal(response.status, 200, text);
    assert.ok(cpu < LIMITS.cpuMs * slowness, `request ${request} took ${cpu} ms of CPU`);
  }
  assert.ok(await notify.peakMib() < LIMITS.memoryMib, `${await notify.peakMib()} MiB`);
}

/** Lets `dispatch` run twice in one worker, and checks the end and the cost of each run, and of the worker's start. */
async function runTwice(
  dispatch: HostedFunction,
  sql: postgres.Sql,
  rate: number,
  slowness: number,
): Promise<void> {
  const start = await dispatch.cpuMs();
  for (let run = 1, before = start; run <= 2; run++) {
    const sentBefore = await countSent(sql);
    const startedAt = performance.now();
    const { sent, reason } = await endOfRun(dispatch);
    const tookMs = performance.now() - startedAt;
    const cpu = await dispatch.cpuMs();
    printFigures(`dispatch, run ${run} at ${rate} per second`, {
      sent,
      reason,
      "ms of CPU": cpu - before,
      start,
    });

    assert.equal(await countSent(sql), sentBefore + sent);
    // On a busy machine the time of a run is over first.
    const isWhole = reason === "max_messages" && sent === MESSAGES_PER_RUN;
    assert.ok(isWhole || reason === "time" && tookMs > RUN_MS, `${sent} messages in ${tookMs} ms: ${reason}`);
    assert.ok(cpu - before < CPU_MS_PER_RUN * slowness, `run ${run} took ${cpu - before} ms of CPU`);
    if (run === 1) assert.ok(cpu < LIMITS.cpuMs * slowness, `start and run took ${cpu} ms of CPU`);
    before = cpu;
  }
  const memory = await dispatch.peakMib();
  assert.ok(memory < LIMITS.memoryMib, `two runs took ${memory} MiB`);
}

/** Others for each request: the platform limits the messages to one person. */
function contacts(request: number): { number: string; name: string }[] {
  return Array.from({ length: CONTACTS_PER_REQUEST }, (_, index) => ({
    number: `34600${String(request * CONTACTS_PER_REQUEST + index).padStart(6, "0")}`,
    name: "Asha",
  }));
}

/** Starts a run and resolves with what it logs at its end. */
async function endOfRun({ url, nextEntry }: HostedFunction): Promise<JsonObject> {
  const ended = nextEntry("dispatch: a run has ended");
  void ended.catch(() => {}); // the response may fail first
  const headers = { authorization: `Bearer ${TEST_ENV.OUTBOUND_DISPATCH_SECRET}` };
  const response = await fetch(`${url}/dispatch`, { method: "POST", headers });
  const text = await response.text();
  assert.equal(response.status, 202, text);
  return await ended;
}

async function countSent(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ sent: number }[]>`
    select count(*)::int as sent from outbound.notifications where status = 'sent'`;
  return row!.sent;
}
