import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Env } from "../../supabase/functions/_shared/env.ts";
import type {
  SpanFacts,
  SpanKindName,
  TraceSpan,
  Tracing,
} from "../../supabase/functions/_shared/telemetry/tracing.ts";
import { within } from "../service/stopping.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";

const KINDS: Record<SpanKindName, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/** A backend that does not respond must not keep the process. */
const MAX_CLOSE_MS = 3000;

/**
 * Creates tracing that exports to OTEL_EXPORTER_OTLP_ENDPOINT as OTLP in JSON. The provider is not registered globally:
 * only the spans that this code names are exported, with the facts of `SpanFacts` and no others.
 */
export function createTracing(
  env: Env,
): Tracing {
  const exporter = new OTLPTraceExporter({
    url: env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? `${env.OTEL_EXPORTER_OTLP_ENDPOINT!}/v1/traces`,
    headers: readPairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? ""),
    timeoutMillis: env.OTEL_EXPORTER_OTLP_TIMEOUT,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes(attributesOfProcess(env)),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledShare(env)) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return tracingBy(provider);
}

/** Every process is an instance of its own. What OTEL_RESOURCE_ATTRIBUTES says counts more. */
function attributesOfProcess({ OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES }: Env): Record<string, string> {
  return {
    "service.name": "outbound",
    "service.version": VERSION,
    "service.instance.id": crypto.randomUUID(),
    ...readPairs(OTEL_RESOURCE_ATTRIBUTES ?? ""),
    ...OTEL_SERVICE_NAME !== undefined && { "service.name": OTEL_SERVICE_NAME },
  };
}

/** A trace is exported whole or not at all, so the samplers that ask the parent are the same as those that do not. */
function sampledShare({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: Env): number {
  if (OTEL_TRACES_SAMPLER.endsWith("always_on")) return 1;
  return OTEL_TRACES_SAMPLER.endsWith("always_off") ? 0 : OTEL_TRACES_SAMPLER_ARG;
}

function tracingBy(provider: TracerProvider): Tracing {
  const tracer = provider.getTracer("outbound", VERSION);
  const running = new AsyncLocalStorage<Context>();
  return {
    isOn: true,
    async span(name, { kind = "internal", facts, links, startsTrace = false, startedMs }, work) {
      const parent = startsTrace ? ROOT_CONTEXT : running.getStore() ?? ROOT_CONTEXT;
      const span = tracer.startSpan(name, {
        kind: KINDS[kind],
        attributes: attributesOf(facts),
        ...links && { links: links.map((context) => ({ context })) },
        ...startedMs !== undefined && { startTime: new Date(performance.timeOrigin + startedMs) },
      }, parent);
      try {
        return await running.run(trace.setSpan(parent, span), () => work(handleOf(span)));
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
    current: () => trace.getSpanContext(running.getStore() ?? ROOT_CONTEXT),
    link: (spans) =>
      void trace.getSpan(running.getStore() ?? ROOT_CONTEXT)?.addLinks(spans.map((context) => ({ context }))),
    async close() {
      await within(MAX_CLOSE_MS, provider.shutdown().catch(() => {}));
    },
  };
}

function handleOf(span: Span): TraceSpan {
  return {
    rename: (name) => void span.updateName(name),
    set: (facts) => void span.setAttributes(attributesOf(facts)),
    fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
  };
}

function attributesOf(facts: SpanFacts = {}): Record<string, string | number> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** Reads `name=value,name=value`, percent-encoded. */
function readPairs(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => pair.trim()).filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name.trim(), decode(value.join("=").trim())];
  }));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
