import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import { eventually } from "../../setup/eventually.ts";
import { createTestHttp } from "../../setup/http/http.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { withSandbox } from "../../setup/stack/sandbox.ts";
import { insertTenant } from "../../setup/stack/stack.ts";
import { SETTINGS } from "../service/production_settings.ts";
import { endedCommand, runCommand, type RunningCommand } from "../service/run_command.ts";
import { type ReceivedSpan, type TraceSink, withTraceSink } from "./sink.ts";

interface Traced {
  sink: TraceSink;
  serve: RunningCommand;
  /** All that no trace may hold. */
  secrets: string[];
}

/** Runs `deno task serve` with traces, sends a message from request to result, and stops it; then calls `fn`. */
async function afterWholeSend(fn: (traced: Traced) => Promise<void>): Promise<void> {
  await withTraceSink((sink) =>
    withSandbox(SETTINGS.WHATSAPP_APP_SECRET, (sandbox) =>
      withTestDatabase(async ({ sql, url }) => {
        const tenant = await insertTenant({ sql } as unknown as Parameters<typeof insertTenant>[0], sandbox);
        const serve = await runCommand("serve", {
          ...SETTINGS,
          DATABASE_URL: url,
          WHATSAPP_API_URL: sandbox.url,
          OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
          OTEL_EXPORTER_OTLP_HEADERS: "x-team=night%20shift",
          OTEL_SERVICE_NAME: "outbound-test",
          OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=night%20shift,service.name=other",
          OUTBOUND_PUBLIC_URL: "http://127.0.0.1:9",
        }, /Listening on .*\n/);
        const base = /Listening on http:\/\/0\.0\.0\.0:(\d+)/.exec(serve.output)![1];
        const http = createTestHttp(`http://127.0.0.1:${base}`);
        const query = { access_key: tenant.key.key };

        await sandbox.configure({ webhook_url: `http://127.0.0.1:${base}/functions/v1/webhooks/whatsapp` });
        const headers = { traceparent: CALLER };
        const { status, body } = await http.post("/notify", notifyBody(tenant), { query, headers });
        assert.equal(status, 200);
        await eventually(async () => {
          const answer = await http.get("/notify/status", {
            query: { ...query, campaign_id: body.inquiry_set_id },
          });
          assert.equal(answer.body.delivered, 1);
        });
        await http.get("/nothing/34600111222", { query });
        assert.equal(await serve.stop("SIGTERM"), 0);
        await fn({
          sink,
          serve,
          secrets: [
            ...[tenant.key.key, tenant.sender.token, tenant.sender.number, tenant.sender.platform_id],
            ...[SETTINGS.OUTBOUND_SECRETS_KEY, SETTINGS.WHATSAPP_APP_SECRET],
            ...[
              "34600111222",
              "Asha",
              "A-17",
              "Orders",
              "access_key",
              "campaign_id=",
              "url.",
              "/functions/v1",
            ],
          ],
        });
      }))
  );
}

/** The client's span; it asks for none of ours to be exported. */
const CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

function find(spans: ReceivedSpan[], name: string): ReceivedSpan {
  const span = spans.find((span) => span.name === name);
  assert.ok(span, `${name} is not among ${spans.map(({ name }) => name).join(", ")}`);
  return span;
}

Deno.test("a send is exported as spans from request to stored batch, and from claim to recorded batch", () =>
  afterWholeSend(({ sink }) => {
    const spans = sink.spans();
    const [request, queue, store] = ["POST /notify", "queue campaign", "store requests"].map((name) =>
      find(spans, name)
    );
    const [claim, send, record] = ["claim", "send", "record results"].map((name) => find(spans, name));

    assert.equal(queue!.parentSpanId, request!.spanId);
    assert.deepEqual(store!.links.map(({ spanId }) => spanId), [queue!.spanId]);
    assert.equal(send!.parentSpanId, claim!.spanId);
    assert.deepEqual(request!.links.map(({ traceId }) => traceId), ["4bf92f3577b34da6a3ce929d0e0e4736"]);
    assert.deepEqual(send!.links.map(({ spanId }) => spanId), [queue!.spanId]);
    const events = spans.filter(({ name }) => name === "POST /webhooks/whatsapp");
    assert.ok(events.some(({ links }) => links.some(({ spanId }) => spanId === send!.spanId)));
    assert.deepEqual(record!.links.map(({ spanId }) => spanId), [send!.spanId]);
    assert.equal(queue!.attributes["outbound.campaign_id"], send!.attributes["outbound.campaign_id"]);
    assert.deepEqual(
      [request!.attributes["http.route"], request!.attributes["http.response.status_code"]],
      ["/notify", 200],
    );
    assert.equal(send!.attributes["outbound.outcome"], "sent");
    const [first] = sink.received;
    assert.equal(first!.path, "/v1/traces");
    assert.equal(first!.headers.get("x-team"), "night shift");
    assert.match(first!.text, /"outbound-test"/);
    assert.match(first!.text, /"deployment\.environment".{0,40}"night shift"/);
    assert.match(first!.text, /"service\.instance\.id".{0,40}"[0-9a-f-]{36}"/);
    return Promise.resolve();
  }));

Deno.test("no trace holds a key, a number, a text, or any part of a URL", () =>
  afterWholeSend(({ sink, secrets }) => {
    const text = sink.received.map(({ text }) => text).join("\n");

    assert.ok(text.length > 1000);
    assert.deepEqual(secrets.filter((secret) => text.includes(secret)), []);
    return Promise.resolve();
  }));

Deno.test("log lines within a trace name it, and the request", () =>
  afterWholeSend(({ sink, serve }) => {
    const request = find(sink.spans(), "POST /notify");
    const lines = serve.output.split("\n").filter((line) => line.startsWith("{")).map((line) =>
      JSON.parse(line)
    );
    const [line] = lines.filter(({ route, message }) => message === "request" && route === "/notify");

    assert.equal(line.trace_id, request.traceId);
    assert.equal(line.request_id, request.attributes["outbound.request_id"]);
    return Promise.resolve();
  }));

Deno.test("serve ends in time although nothing takes its traces", () =>
  withTestDatabase(async ({ url }) => {
    const env = { ...SETTINGS, DATABASE_URL: url, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    const serve = await runCommand("serve", env, /Listening on .*\n/);
    const port = /0\.0\.0\.0:(\d+)/.exec(serve.output)![1];
    await (await fetch(`http://127.0.0.1:${port}/functions/v1/health`)).body?.cancel();

    assert.equal(await serve.stop("SIGTERM"), 0);
    assert.equal(await serve.errors, "");
  }));

for (const command of ["serve", "dispatch"] as const) {
  Deno.test(`${command} refuses the runtime's own traces, which would export access keys`, async () => {
    const env = { ...SETTINGS, DATABASE_URL: "postgres://u@127.0.0.1:1/x", OTEL_DENO: "true" };

    const { code, stderr } = await endedCommand(command, {
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    });

    assert.equal(code, 1);
    assert.match(stderr, /OTEL_DENO would export every URL with its access key/);
  });
}
