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
import { VERSION } from "../../supabase/functions/_shared/version.ts";

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
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER_ARG }:
    Env,
): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${OTEL_EXPORTER_OTLP_ENDPOINT!}/v1/traces`,
    headers: readHeaders(OTEL_EXPORTER_OTLP_HEADERS ?? ""),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": OTEL_SERVICE_NAME, "service.version": VERSION }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return tracingBy(provider);
}

function tracingBy(provider: TracerProvider): Tracing {
  const tracer = provider.getTracer("outbound", VERSION);
  const running = new AsyncLocalStorage<Context>();
  return {
    isOn: true,
    async span(name, { kind = "internal", facts, links, startedMs }, work) {
      const parent = links === undefined ? running.getStore() ?? ROOT_CONTEXT : ROOT_CONTEXT;
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
function readHeaders(text: string): Record<string, string> {
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
