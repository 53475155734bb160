import { closeServer } from "../../setup/http/close_server.ts";
import type { JsonObject } from "../../setup/http/http.ts";

/** A span as a backend receives it. */
export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links: { spanId: string; traceId: string }[];
  attributes: Record<string, string | number>;
}

/** A backend for traces that keeps what it is sent. */
export interface TraceSink {
  url: string;
  /** The bodies, to the letter, and their headers. */
  received: { text: string; headers: Headers; path: string }[];
  spans(): ReceivedSpan[];
}

/** Runs `use` with a backend for OTLP in JSON on a free port. */
export async function withTraceSink(use: (sink: TraceSink) => Promise<void>): Promise<void> {
  const received: TraceSink["received"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const path = new URL(request.url).pathname;
    received.push({ text: await request.text(), headers: request.headers, path });
    return Response.json({});
  });
  try {
    await use({
      url: `http://127.0.0.1:${server.addr.port}`,
      received,
      spans: () => received.flatMap(({ text }) => spansOf(JSON.parse(text))),
    });
  } finally {
    await closeServer(server);
  }
}

function spansOf({ resourceSpans }: JsonObject): ReceivedSpan[] {
  const spans: JsonObject[] = resourceSpans.flatMap(({ scopeSpans }: JsonObject) =>
    scopeSpans.flatMap(({ spans }: JsonObject) => spans)
  );
  return spans.map(({ name, traceId, spanId, parentSpanId, links = [], attributes }) => ({
    ...{ name, traceId, spanId, links },
    ...parentSpanId && { parentSpanId },
    attributes: Object.fromEntries(
      attributes.map(({ key, value }: JsonObject) => [key, value.stringValue ?? Number(value.intValue)]),
    ),
  }));
}
