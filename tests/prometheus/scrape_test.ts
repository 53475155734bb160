import assert from "node:assert/strict";
import { serveMetrics } from "../../cli/metrics/serve_metrics.ts";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { eventually } from "../setup/eventually.ts";
import { withReceiver } from "../setup/http/receiver.ts";
import { skipped } from "../setup/skipped.ts";
import { withStack } from "../setup/stack/stack.ts";
import { findBinary } from "../setup/find_binary.ts";
import { readQueries } from "./board.ts";
import { prepareLoad } from "./small_load.ts";
import { type Prometheus, readRules, withPrometheus } from "./with_prometheus.ts";

/** Calls `fn` with a Prometheus that scrapes a service under load; without the program the test is skipped. */
async function underLoad(
  test: string,
  fn: (prometheus: Prometheus, metricsUrl: string) => Promise<void>,
): Promise<void> {
  const binary = await findBinary("prometheus");
  if (binary === undefined) return skipped(`Prometheus: ${test}`, "no prometheus found");
  await withReceiver((receiver) =>
    withStack(async (stack) => {
      const metrics = (await serveMetrics(stack.dispatcherServices, { port: 0 }))!;
      const controller = new AbortController();
      const dispatcher = runDispatcher(stack.dispatcherServices, { signal: controller.signal });
      try {
        const load = await prepareLoad(stack, receiver.url);
        await load();
        await withPrometheus(binary, [new URL(metrics.url).host], async (prometheus) => {
          await prometheus.scrapes(2);
          await load();
          await prometheus.scrapes(2);
          await fn(prometheus, metrics.url);
        });
      } finally {
        controller.abort();
        await dispatcher;
        await metrics.stop();
      }
    }, { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } })
  );
}

/** Every expression of the alerts, without `for`. */
async function readAlerts(): Promise<string[]> {
  const rules = (await readRules()).split(/^ {6}- alert: /m).slice(1);
  return rules.map((rule) => /expr: (?:\|\n)?([\s\S]*?)\n {8}(?=for:|labels:)/.exec(rule)![1]!);
}

async function assertBoard(prometheus: Prometheus): Promise<void> {
  const empty: string[] = [];
  for (const { panel, expression } of await readQueries()) {
    if ((await prometheus.query(expression)).length === 0) empty.push(`${panel}: ${expression}`);
  }
  const alerts = await readAlerts();
  for (const expression of alerts) await prometheus.query(expression);

  assert.deepEqual(empty, []);
  assert.ok(alerts.length >= 20);
  assert.deepEqual(await prometheus.alerts("now"), []);
}

async function assertFigures(prometheus: Prometheus): Promise<void> {
  const value = async (expression: string) => Number((await prometheus.query(expression))[0]?.value[1]);

  assert.equal(await value('outbound_notifications_accepted_total{channel="whatsapp"}'), 8);
  assert.equal(await value('outbound_notifications_accepted_total{channel="voice"}'), 2);
  assert.equal(await value('outbound_notifications_sent_total{channel="whatsapp",outcome="accepted"}'), 6);
  assert.equal(await value('outbound_notifications_failed_total{reason="131026"}'), 2);
  assert.equal(await value('outbound_results_recorded_total{channel="voice",outcome="sent"}'), 2);
  assert.equal(await value('outbound_queue_delay_seconds_count{channel="whatsapp"}'), 8);
  assert.equal(
    await value('outbound_http_request_duration_seconds_count{method="POST",route="/notify",status="400"}'),
    2,
  );
  assert.equal(
    await value('outbound_http_request_duration_seconds_count{method="any",route="unknown",status="404"}'),
    2,
  );
  assert.ok(await value("sum(outbound_webhook_deliveries_total)") >= 8);
  assert.ok(await value('outbound_platform_events_received_total{platform="whatsapp"}') >= 12);
  // Figures of the database are read every five seconds.
  await eventually(async () => assert.equal(await value('outbound_queue{state="due"}'), 0));
}

async function assertExposition(metricsUrl: string): Promise<void> {
  const text = await (await fetch(metricsUrl)).text();
  const promtool = new Deno.Command("promtool", {
    args: ["check", "metrics"],
    stdin: "piped",
    stderr: "piped",
  }).spawn();
  const input = promtool.stdin.getWriter();
  await input.write(new TextEncoder().encode(text));
  await input.close();
  const { code, stderr } = await promtool.output();

  assert.equal(new TextDecoder().decode(stderr), "");
  assert.equal(code, 0);
  assert.doesNotMatch(text, /34600111222|[0-9a-f]{8}-[0-9a-f]{4}-|Asha|Orders/);
}

Deno.test("a service under load, as Prometheus sees it", (t) =>
  underLoad("a service under load", async (prometheus, metricsUrl) => {
    await t.step("every query of the board returns data, and no alert fires", () => assertBoard(prometheus));
    await t.step("the metrics show what happened", () => assertFigures(prometheus));
    await t.step(
      "promtool finds nothing wrong, and no label names a person",
      () => assertExposition(metricsUrl),
    );
  }));
