import type { SpanContext } from "@opentelemetry/api";

/**
 * All that a span may say. The list is closed, so that no key, number, name or text gets into a trace: ids are ours,
 * and the rest are names and counts from the code.
 */
export interface SpanFacts {
  "http.request.method"?: string;
  /** The pattern of the route, never the path. */
  "http.route"?: string;
  "http.response.status_code"?: number;
  "outbound.request_id"?: string;
  "outbound.company_id"?: string | undefined;
  "outbound.campaign_id"?: string | undefined;
  "outbound.notification_id"?: string;
  "outbound.channel"?: string;
  "outbound.attempt"?: number;
  "outbound.outcome"?: string;
  /** As `codeLabel` returns it. */
  "outbound.error_code"?: string;
  /** The queue that a claim is for. */
  "outbound.queue"?: string;
  "outbound.batch_size"?: number;
}

export type SpanKindName = "server" | "client" | "internal";

export interface SpanOptions {
  kind?: SpanKindName;
  facts?: SpanFacts;
  /** Spans of other traces that this one works for, or follows. */
  links?: SpanContext[];
  /** It begins a trace of its own, also within another span. */
  startsTrace?: boolean;
  /** When it began, as `performance.now()` returns it. @default now */
  startedMs?: number;
}

/** A span while it runs. */
export interface TraceSpan {
  rename(name: string): void;
  set(facts: SpanFacts): void;
  /** Marks it as failed. */
  fail(): void;
}

/** Records what the service does as spans of OpenTelemetry. */
export interface Tracing {
  isOn: boolean;
  /** Runs `work` in a span, which is a child of the span that runs. A rejection marks the span as failed. */
  span<Result>(
    name: string,
    options: SpanOptions,
    work: (span: TraceSpan) => Promise<Result>,
  ): Promise<Result>;
  /** Returns the span that runs; undefined when there is none. */
  current(): SpanContext | undefined;
  /** Links the span that runs to spans of other traces. */
  link(spans: SpanContext[]): void;
  /** Exports what is left, within three seconds. */
  close(): Promise<void>;
}

const NO_SPAN: TraceSpan = { rename() {}, set() {}, fail() {} };

/** Records nothing. */
export const NO_TRACING: Tracing = {
  isOn: false,
  span: (_name, _options, work) => work(NO_SPAN),
  current: () => undefined,
  link() {},
  close: () => Promise.resolve(),
};
