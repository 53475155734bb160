import assert from "node:assert/strict";
import { parseEvents, type ServerEvent } from "../../sdk/typescript/src/parse_events.ts";

const silenceMs = () => 10_000;

async function parse(...parts: string[]): Promise<ServerEvent[]> {
  const encoded = ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)));
  return await Array.fromAsync(parseEvents(encoded, { silenceMs }));
}

Deno.test("parseEvents() reads types, data of several lines and ids, and skips comments", async () => {
  const events = await parse("retry: 1000\n\n: heartbeat\n\nevent: a\ndata: 1\ndata:2\nid: 7\n\nid: 8\n\n");

  assert.deepEqual(events, [
    { type: "", data: "" },
    { type: "", data: "" },
    { type: "a", data: "1\n2", id: "7" },
    { type: "", data: "", id: "8" },
  ]);
});

Deno.test("parseEvents() reads the same whatever the ends of lines are and wherever parts end", async () => {
  const text = "event: a\ndata: ñ: x\nid: 7\n\nevent: b\ndata: 2\n\n";
  const whole = await parse(text);

  assert.equal(whole.length, 2);
  assert.deepEqual(await parse(...text), whole);
  assert.deepEqual(await parse(...text.replaceAll("\n", "\r\n")), whole);
});

Deno.test("parseEvents() leaves out an event that is cut off", async () => {
  assert.deepEqual(await parse("event: a\ndata: 1\n\nevent: b\ndata: 2\n"), [{ type: "a", data: "1" }]);
});

Deno.test("parseEvents() ends when the stream is silent for too long, and when its signal aborts", async () => {
  const silent = () => new ReadableStream<Uint8Array>();
  const stop = new AbortController();

  const late = Array.fromAsync(parseEvents(silent(), { silenceMs: () => 20 }));
  const aborted = Array.fromAsync(parseEvents(silent(), { silenceMs, signal: stop.signal }));
  stop.abort();

  assert.deepEqual([await late, await aborted], [[], []]);
});
