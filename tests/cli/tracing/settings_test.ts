import assert from "node:assert/strict";
import { createTracing } from "../../../cli/tracing/create_tracing.ts";
import { openTracing } from "../../../cli/tracing/open_tracing.ts";
import { loadEnv } from "../../../supabase/functions/_shared/env.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { type TraceSink, withTraceSink } from "./sink.ts";

/** Exports a span with another within it, as a process with these settings does. */
async function exportTwo(settings: Record<string, string>): Promise<void> {
  const tracing = createTracing(
    loadEnv({ ...TEST_ENV, DATABASE_URL: "postgres://u@127.0.0.1:1/x", ...settings }),
  );
  await tracing.span("outer", {}, () => tracing.span("inner", {}, () => Promise.resolve()));
  await tracing.close();
}

function attributesOf({ received }: TraceSink): Record<string, string>[] {
  return received.map(({ text }) =>
    Object.fromEntries(
      JSON.parse(text).resourceSpans[0].resource.attributes.map((
        { key, value }: { key: string; value: { stringValue: string } },
      ) => [key, value.stringValue]),
    )
  );
}

const SAMPLED: [settings: Record<string, string>, spans: number][] = [
  [{}, 2],
  [{ OTEL_TRACES_SAMPLER_ARG: "0" }, 0],
  ...["", "parentbased_"].flatMap((parent): [Record<string, string>, number][] => [
    [{ OTEL_TRACES_SAMPLER: `${parent}always_on`, OTEL_TRACES_SAMPLER_ARG: "0" }, 2],
    [{ OTEL_TRACES_SAMPLER: `${parent}always_off`, OTEL_TRACES_SAMPLER_ARG: "1" }, 0],
    [{ OTEL_TRACES_SAMPLER: `${parent}traceidratio`, OTEL_TRACES_SAMPLER_ARG: "0" }, 0],
    [{ OTEL_TRACES_SAMPLER: `${parent}traceidratio`, OTEL_TRACES_SAMPLER_ARG: "1" }, 2],
  ]),
];

Deno.test("OTEL_TRACES_SAMPLER decides whether a trace is exported, whole or not at all", async (test) => {
  for (const [settings, spans] of SAMPLED) {
    await test.step(JSON.stringify(settings), () =>
      withTraceSink(async (sink) => {
        await exportTwo({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: sink.url });
        assert.equal(sink.spans().length, spans);
      }));
  }
});

Deno.test("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is used as it is, and counts more than the general endpoint", () =>
  withTraceSink(async (sink) => {
    await exportTwo({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${sink.url}/otlp/own/path`,
    });

    assert.deepEqual(sink.received.map(({ path }) => path), ["/otlp/own/path"]);
  }));

Deno.test("each process has a service.instance.id of its own, unless OTEL_RESOURCE_ATTRIBUTES names one", () =>
  withTraceSink(async (sink) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url };
    await exportTwo(env);
    await exportTwo(env);
    await exportTwo({
      ...env,
      OTEL_RESOURCE_ATTRIBUTES: "service.instance.id=pod-7, k8s.namespace.name=a%2Cb",
    });

    const [first, second, named] = attributesOf(sink);
    assert.match(first!["service.instance.id"]!, /^[0-9a-f-]{36}$/);
    assert.notEqual(first!["service.instance.id"], second!["service.instance.id"]);
    assert.deepEqual([named!["service.instance.id"], named!["k8s.namespace.name"], named!["service.name"]], [
      ...["pod-7", "a,b", "outbound"],
    ]);
  }));

Deno.test("OTEL_EXPORTER_OTLP_TRACES_HEADERS counts more than the general headers", () =>
  withTraceSink(async (sink) => {
    const general = {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=all,x-old=1",
    };
    await exportTwo(general);
    await exportTwo({ ...general, OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-team=traces" });

    const sent = sink.received.map(({ headers }) => [headers.get("x-team"), headers.get("x-old")]);
    assert.deepEqual(sent, [["all", "1"], ["traces", null]]);
  }));

Deno.test("OTEL_EXPORTER_OTLP_TIMEOUT ends an export that takes longer", async () => {
  const ended = Promise.withResolvers<Response>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => ended.promise);
  const startedMs = performance.now();
  await exportTwo({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: "200",
  });

  assert.ok(performance.now() - startedMs < 2900, "a process that ends waits three seconds for the default");
  ended.resolve(new Response());
  await closeServer(server);
});

Deno.test("OTEL_SDK_DISABLED exports nothing, whatever endpoint is set", async () => {
  const settings = { ...TEST_ENV, DATABASE_URL: "postgres://u@127.0.0.1:1/x" };
  const open = (disabled: string) =>
    openTracing(
      loadEnv({
        ...settings,
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
        OTEL_SDK_DISABLED: disabled,
      }),
    );
  const [off, on] = [await open("true"), await open("false")];
  await on.close();

  assert.deepEqual([off.isOn, on.isOn], [false, true]);
});
