import type { SpanContext } from "@opentelemetry/api";
import type { Tracing } from "./tracing.ts";

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;

/**
 * Reads the span of a `traceparent` (W3C Trace Context); undefined for anything else. Its sampling flag is left out: who
 * calls does not decide what is exported here.
 */
export function readTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId] = TRACEPARENT.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) {
    return undefined;
  }
  return { traceId, spanId, traceFlags: 0, isRemote: true };
}

/** Returns the span that runs as `traceparent`, to be stored with what it begins; null where nothing is traced. */
export function currentTrace(tracing: Pick<Tracing, "current">): string | null {
  const span = tracing.current();
  return span ? writeTraceparent(span) : null;
}

/** Writes a span as `traceparent`. */
export function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
