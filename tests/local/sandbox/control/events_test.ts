import assert from "node:assert/strict";
import { EventHub } from "../../../../local/sandbox/control/events.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { withPlatform } from "../with_platform.ts";

/** Reads server-sent events until `done` says so; returns them with the last id. */
async function readEvents(
  url: string,
  headers: Record<string, string>,
  done: (events: JsonObject[], text: string) => boolean,
): Promise<{ events: JsonObject[]; lastId: string; text: string }> {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  assert.equal(response.headers.get("Content-Type"), "text/event-stream");
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const whole = text.slice(0, text.lastIndexOf("\n\n") + 2);
    const events = [...whole.matchAll(/^data: (\[.*\])$/gm)].flatMap((match) => JSON.parse(match[1]!));
    if (!done(events, whole)) continue;
    stop.abort();
    return { events, lastId: [...whole.matchAll(/^id: (.*)$/gm)].at(-1)![1]!, text: whole };
  }
  throw new Error(`The stream ended early: ${text}`);
}

const statuses = (events: JsonObject[]) => events.filter(({ kind }) => kind === "status");

Deno.test("GET /sandbox/events sends messages and statuses after a given point", () =>
  withPlatform(async ({ send, control, url }) => {
    const { last_event_id } = (await control("GET", "phones")).body;
    await send();

    const { events } = await readEvents(
      `${url}/sandbox/events?after=${last_event_id}`,
      {},
      (events) => statuses(events).length === 3,
    );

    assert.equal(events.filter(({ kind }) => kind === "message").length, 1);
    assert.deepEqual(statuses(events).map(({ status }) => status), ["sent", "delivered", "read"]);
  }));

Deno.test("GET /sandbox/events goes on from Last-Event-ID without loss or repetition", () =>
  withPlatform(async ({ send, url }) => {
    const events = `${url}/sandbox/events`;
    const start = await readEvents(events, {}, (_, text) => text.includes("id: "));
    await send();
    const first = await readEvents(
      events,
      { "Last-Event-ID": start.lastId },
      (seen) => statuses(seen).length === 3,
    );
    await send();
    const second = await readEvents(
      events,
      { "Last-Event-ID": first.lastId },
      (seen) => statuses(seen).length === 3,
    );

    const ids = [...first.events, ...second.events].filter(({ kind }) => kind === "message")
      .map(({ message }) => message.id);
    assert.equal(new Set(ids).size, 2);
    assert.equal(ids.length, 2);
  }));

Deno.test("GET /sandbox/events asks a page of another run to start anew", () =>
  withPlatform(async ({ url }) => {
    const { text } = await readEvents(
      `${url}/sandbox/events`,
      { "Last-Event-ID": "deadbeef-3" },
      (_, text) => text.includes("event: "),
    );

    assert.match(text, /event: reset/);
  }));

Deno.test("EventHub.since() returns null for what is no longer kept", () => {
  const hub = new EventHub();
  const before = hub.lastId;
  for (let each = 0; each < 50_000; each++) hub.publish({ kind: "stats", each });
  const near = hub.lastId;
  hub.publish({ kind: "stats", each: "last" });

  assert.equal(hub.since(before), null);
  assert.deepEqual(hub.since(near)?.events, [{ kind: "stats", each: "last" }]);
  assert.equal(hub.since("nonsense"), null);
  hub.close();
});

Deno.test("EventHub sends every event exactly once, also under load", () => {
  const hub = new EventHub();
  const seen: unknown[] = [];
  hub.subscribe({ send: ({ events }) => seen.push(...events.map(({ each }) => each)), end: () => {} });
  for (let each = 0; each < 100_000; each++) hub.publish({ kind: "stats", each });
  const rest = hub.since(hub.lastId);
  const unsubscribe = hub.subscribe({ send: () => {}, end: () => {} });

  assert.deepEqual(rest?.events, []);
  assert.deepEqual(seen, Array.from({ length: 100_000 }, (_, each) => each));
  unsubscribe();
  hub.close();
});
