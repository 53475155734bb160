import assert from "node:assert/strict";
import { type MetricsAddress, serveMetrics } from "../../../cli/metrics/serve_metrics.ts";
import { loadEnv } from "../../../supabase/functions/_shared/env.ts";
import { createMetrics, type Metrics } from "../../../supabase/functions/_shared/telemetry/metrics.ts";
import { type CollectedLog, collectLog } from "../../setup/stack/collect_log.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";

interface Served {
  url: string;
  metrics: Metrics;
  log: CollectedLog;
}

const TOKEN = "metrics-token-0123456789";
const NO_DATABASE = "postgres://u:p@127.0.0.1:1/x";

/** Calls `fn` with served metrics of a process that has just started. */
async function served(
  fn: (served: Served) => Promise<void>,
  { env = {}, address = { port: 0 } }: { env?: Record<string, string>; address?: MetricsAddress } = {},
): Promise<void> {
  const [metrics, log] = [createMetrics(), collectLog()];
  const settings = loadEnv({ ...TEST_ENV, DATABASE_URL: NO_DATABASE, ...env });
  const server = await serveMetrics({ env: settings, log: log.log, metrics }, address);
  try {
    await fn({ url: server!.url, metrics, log });
  } finally {
    await server!.stop();
  }
}

/** Sends a request and returns the status and the text of its response. */
async function ask(
  url: string,
  init?: RequestInit,
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

Deno.test("serveMetrics() serves what was counted, and the figures of the database", () =>
  withTestDatabase(({ url: databaseUrl }) =>
    served(async ({ url, metrics }) => {
      metrics.sent.add(["whatsapp", "accepted"], 3);
      metrics.sendDuration.observe(["whatsapp"], 0.02);
      metrics.sendDuration.observe(["whatsapp"], 99);

      const { status, text, headers } = await ask(url);

      assert.equal(status, 200);
      assert.match(headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
      for (
        const line of [
          'outbound_notifications_sent_total{channel="whatsapp",outcome="accepted"} 3',
          'outbound_send_duration_seconds_bucket{channel="whatsapp",le="0.01"} 0',
          'outbound_send_duration_seconds_bucket{channel="whatsapp",le="0.025"} 1',
          'outbound_send_duration_seconds_bucket{channel="whatsapp",le="20"} 1',
          'outbound_send_duration_seconds_bucket{channel="whatsapp",le="+Inf"} 2',
          'outbound_send_duration_seconds_count{channel="whatsapp"} 2',
          'outbound_queue{state="due"} 0',
          "outbound_metrics_database_up 1",
        ]
      ) assert.ok(text.includes(`${line}\n`), line);
    }, { env: { DATABASE_URL: databaseUrl } })
  ));

Deno.test("serveMetrics() serves what was counted although the database does not respond, and logs that once", () =>
  served(async ({ url, metrics, log }) => {
    metrics.sent.add(["voice", "accepted"]);

    const [{ status, text }] = await Promise.all([ask(url), ask(url)]);
    await ask(url);

    assert.equal(status, 200);
    assert.match(text, /outbound_notifications_sent_total{channel="voice",outcome="accepted"} 1\n/);
    assert.match(text, /outbound_metrics_database_up 0\n/);
    assert.doesNotMatch(text, /outbound_queue\{/);
    assert.deepEqual(log.lines("warn"), ["metrics: the figures of a database cannot be read"]);
  }));

Deno.test("serveMetrics() serves the figures of each cell under its number, also while another one is down", () =>
  withTestDatabase(({ url: databaseUrl }) =>
    served(async ({ url }) => {
      const { text } = await ask(url);

      assert.match(text, /outbound_queue\{state="due",cell="0"\} 0\n/);
      assert.match(text, /outbound_metrics_database_up\{cell="0"\} 1\n/);
      assert.match(text, /outbound_metrics_database_up\{cell="7"\} 0\n/);
      assert.doesNotMatch(text, /outbound_queue\{[^}]*cell="7"/);
    }, { env: { DATABASE_URL: databaseUrl, DATABASE_URLS: `7=${NO_DATABASE}` } })
  ));

Deno.test("with OUTBOUND_METRICS_TOKEN, only who sends it as a bearer token reads the metrics", () =>
  served(async ({ url }) => {
    const given = [
      undefined,
      "Bearer",
      "Bearer wrong",
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN}`,
    ];

    const statuses = [];
    for (const authorization of given) {
      const { status, headers, text } = await ask(url, {
        headers: authorization === undefined ? {} : { authorization },
      });
      statuses.push(status);
      assert.equal(headers.get("www-authenticate"), status === 401 ? "Bearer" : null);
      assert.ok(!text.includes(TOKEN));
    }

    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 200]);
    assert.equal((await ask(`${url}?token=${TOKEN}`)).status, 401);
  }, { env: { OUTBOUND_METRICS_TOKEN: TOKEN } }));

Deno.test("without OUTBOUND_METRICS_TOKEN, the metrics are on this machine only, whatever name a browser gives it", () =>
  served(async ({ url }) => {
    const { port } = new URL(url);
    const own = Deno.networkInterfaces().find(({ family, address }) =>
      family === "IPv4" && !address.startsWith("127.")
    );
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    await connection.write(new TextEncoder().encode("GET /metrics HTTP/1.0\r\nHost: evil.example\r\n\r\n"));
    const answer = await new Response(connection.readable).text();

    assert.match(answer, /^HTTP\/1\.\d 403 /);
    if (own) {
      await assert.rejects(
        Deno.connect({ hostname: own.address, port: Number(port) }),
        Deno.errors.ConnectionRefused,
      );
    }
  }));

Deno.test("serveMetrics() responds 404 to other paths and 405 to other methods", () =>
  served(async ({ url }) => {
    assert.equal((await ask(url.replace("/metrics", "/"))).status, 404);
    const posted = await ask(url, { method: "POST", body: "x" });

    assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET"]);
  }));

Deno.test("serveMetrics() without OUTBOUND_METRICS_PORT serves nothing", async () => {
  const env = loadEnv({ ...TEST_ENV, DATABASE_URL: NO_DATABASE });

  assert.equal(await serveMetrics({ env, log: collectLog().log, metrics: createMetrics() }), undefined);
});

Deno.test("serveMetrics() logs a port in use, and does not fail", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const log = collectLog();
  const env = loadEnv({ ...TEST_ENV, DATABASE_URL: NO_DATABASE, OUTBOUND_METRICS_PORT: String(port) });

  const server = await serveMetrics({ env, log: log.log, metrics: createMetrics() });

  assert.equal(server, undefined);
  assert.deepEqual(log.lines("error"), ["metrics are not served"]);
  listener.close();
});
