import assert from "node:assert/strict";
import { within } from "../../cli/service/stopping.ts";
import { type FollowedEvent, Outbound, OutboundError } from "../../sdk/typescript/src/mod.ts";
import { startCuttingProxy } from "../faults/database/cutting_proxy.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { event, refusal, stream, success, withScriptedService } from "./scripted_service.ts";
import { contacts, withClients } from "./with_clients.ts";

const ARRIVAL_MS = 30_000;

const campaign = (name: string, sent = 0) => ({ campaign_id: name, sent });

/** Reads `count` events of a scripted service. */
async function read(outbound: Outbound, count: number, lastEventId?: string) {
  const found: string[] = [];
  for await (const { type, data, id } of outbound.events({ ...(lastEventId && { lastEventId }) })) {
    found.push(`${type} ${Object.values(data).join(" ")} ${id}`.replace("  ", " "));
    if (found.length === count) break;
  }
  return found;
}

Deno.test("events() reconnects with the last id, and yields half an update once", () =>
  withScriptedService([
    stream(event("ready", {}, 1), event("campaign", campaign("a"))),
    stream(event("campaign", campaign("a")), event("campaign", campaign("b")), event("ready", {}, 2)),
    stream(event("campaign", campaign("b")), event("campaign", campaign("a", 5)), event("ready", {}, 3)),
  ], async ({ baseUrl, seen }) => {
    const found = await read(new Outbound({ baseUrl, token: "t", companyId: "c" }), 4);

    assert.deepEqual(found, ["ready 1", "campaign a 0 1", "campaign b 0 2", "campaign a 5 3"]);
    assert.deepEqual(seen.map(({ headers }) => headers.get("last-event-id")), [null, "1", "2"]);
    assert.equal(seen[0]!.headers.get("accept"), "text/event-stream");
  }));

Deno.test("events() begins where the caller says, and goes on while the service is away", () =>
  withScriptedService([
    refusal(503, "service_unavailable", { "Retry-After": "0" }),
    stream("retry: 1000\n\n", "event: reset\nda"),
    stream("retry: 1000\n\n", event("reset", {}, 9)),
  ], async ({ baseUrl, seen }) => {
    assert.deepEqual(await read(new Outbound({ baseUrl, token: "t", companyId: "c" }), 1, "8"), ["reset 9"]);
    assert.deepEqual(seen.map(({ headers }) => headers.get("last-event-id")), ["8", "8", "8"]);
  }));

Deno.test("events() polls where a response is no stream, and where streams bring nothing", async () => {
  const pages = [
    success({ events: [], reset: false, next: "1" }),
    success({ events: [{ type: "campaign", data: campaign("a") }], reset: false, next: "2" }),
  ];
  const asJson = success({ events: [], reset: false, next: "0" });
  for (const steps of [[asJson, ...pages], [stream(), stream(), ...pages]]) {
    await withScriptedService(steps, async ({ baseUrl, seen }) => {
      assert.deepEqual(await read(new Outbound({ baseUrl, token: "t", companyId: "c" }), 2), [
        "ready 1",
        "campaign a 0 2",
      ]);
      assert.deepEqual(seen.slice(-2).map(({ path }) => path.split("?")[1]), [undefined, "after=1"]);
    });
  }
});

Deno.test("events() ends with the service's refusal", () =>
  withScriptedService([refusal(401, "unauthorized")], async ({ baseUrl, seen }) => {
    await assert.rejects(
      read(new Outbound({ baseUrl, token: "t", companyId: "c" }), 1),
      (error) => error instanceof OutboundError && error.code === "unauthorized",
    );
    assert.equal(seen.length, 1);
  }));

Deno.test("events() ends at once without a credential, and with a token but no company", async () => {
  const baseUrl = "http://127.0.0.1:9";
  for (const [options, message] of [[{}, /accessKey/], [{ token: "t" }, /companyId/]] as const) {
    await assert.rejects(read(new Outbound({ baseUrl, ...options }), 1), { name: "TypeError", message });
  }
});

Deno.test("events() over connections that break again and again shows every campaign, and nothing twice", () =>
  withClients(async (t) => {
    const stop = new AbortController();
    const cutAfter = [600, 900, 2500];
    const proxy = startCuttingProxy(
      Number(new URL(t.url).port),
      () => ({ up: Infinity, down: cutAfter.shift() ?? Infinity }),
    );
    const found: FollowedEvent[] = [];
    const ready = Promise.withResolvers<void>();
    const complete = Promise.withResolvers<void>();
    const wanted = Array.from({ length: 8 }, (_, index) => `Campaign ${index}`);
    const missing = new Set(wanted);
    const follow = async () => {
      const baseUrl = `http://127.0.0.1:${proxy.port}${BASE_PATH}`;
      const outbound = await t.ownerClient({ baseUrl });
      for await (const event of outbound.events({ signal: stop.signal })) {
        found.push(event);
        if (event.type === "ready") ready.resolve();
        if (event.type === "campaign") missing.delete(event.data.campaign_name);
        if (missing.size === 0) complete.resolve();
      }
    };
    try {
      const following = assert.rejects(follow(), /enough/);
      assert.ok(await within(ARRIVAL_MS, ready.promise), "the stream did not begin");
      for (const name of wanted) {
        await t.keyClient().sendCampaign({ ...t.notification, campaign_name: name }, contacts(1));
      }
      const isComplete = await within(ARRIVAL_MS, complete.promise);
      assert.ok(isComplete, `not shown: ${[...missing]}`);
      stop.abort(new Error("enough"));
      await following;

      assert.ok(proxy.cuts() >= 2, `${proxy.cuts()} cuts`);
      const texts = found.map(({ type, data }) => JSON.stringify([type, data]));
      assert.equal(new Set(texts).size, texts.length);
      assert.equal(found.filter(({ type }) => type === "ready").length, 1);
    } finally {
      await proxy.close();
    }
  }));
