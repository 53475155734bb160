import assert from "node:assert/strict";
import { OutboundError } from "../../sdk/typescript/src/mod.ts";
import { startCuttingProxy } from "../faults/database/cutting_proxy.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { contacts, withClients } from "./with_clients.ts";

const PASSES = { up: Infinity, down: Infinity };
const LOSES_RESPONSE = { up: Infinity, down: 0 };

Deno.test("a request whose response is lost is sent again with its key, and no recipient gets the message twice", () =>
  withClients(async (t) => {
    let connections = 0;
    const proxy = startCuttingProxy(
      Number(new URL(t.url).port),
      () => connections++ < 2 ? LOSES_RESPONSE : PASSES,
    );
    try {
      const baseUrl = `http://127.0.0.1:${proxy.port}${BASE_PATH}`;
      const { notifications } = t.keyClient({ baseUrl });
      const people = contacts(3);

      const sent = await notifications.send({ ...t.notification, contacts: people });

      assert.equal(proxy.cuts(), 2);
      await t.whileDispatching(async () => {
        await t.keyClient().waitForCampaign(sent.inquiry_set_id, { timeoutMs: 30_000 });
      });
      const messages = await t.sandbox.messages();
      assert.deepEqual(messages.map(({ to }) => to).sort(), people.map(({ number }) => `+${number}`));
    } finally {
      await proxy.close();
    }
  }));

Deno.test("sendCampaign() breaks off when the service stays away, and goes on with the same key", () =>
  withClients(async (t) => {
    const people = contacts(250);
    const options = { idempotencyKey: "autumn" };
    let requests = 0;
    const failing = t.keyClient({
      retries: 1,
      fetch: (request, init) => {
        if (++requests > 2) return Promise.reject(new TypeError("away"));
        return fetch(request, init);
      },
    });

    const error = await failing.sendCampaign(t.notification, people, options).then(
      () => assert.fail("no error"),
      (error) => error,
    );
    const sent = await t.keyClient().sendCampaign(t.notification, people, options);

    assert.ok(error instanceof OutboundError);
    assert.equal(error.code, "connection_failed");
    assert.equal(requests, 4);
    assert.deepEqual([sent.total, sent.processed, sent.failed], [250, 250, 0]);
    assert.equal(new Set(sent.notificationIds).size, 250);
    const { total, status } = await t.keyClient().waitForCampaign(sent.campaignId, { until: () => true });
    assert.deepEqual([total, status], [250, "sending"]);
  }));

Deno.test("sendCampaign() counts refused contacts by their position in the whole list", () =>
  withClients(async (t) => {
    const people = contacts(150).map((person, index) => index === 120 ? { number: "12" } : person);
    const progress: number[] = [];

    const sent = await t.keyClient().sendCampaign(t.notification, people, {
      onProgress: ({ total }) => progress.push(total),
    });

    assert.deepEqual([sent.total, sent.processed, sent.failed], [150, 149, 1]);
    assert.deepEqual(sent.errors.map(({ index, code }) => [index, code]), [[120, "validation_failed"]]);
    assert.equal(sent.notificationIds.indexOf(null), 120);
    assert.deepEqual(progress, [100, 150]);
    await assert.rejects(t.keyClient().sendCampaign(t.notification, []), TypeError);
  }));

Deno.test("waitForCampaign() ends at its time limit, at an abort, and when the campaign is cancelled", () =>
  withClients(async (t) => {
    const outbound = t.keyClient();
    const later = { ...t.notification, datetime_sending: "2099-01-31T09:00:00" };
    const { campaignId } = await outbound.sendCampaign(later, contacts(2));
    const stop = new AbortController();

    const late = outbound.waitForCampaign(campaignId, { timeoutMs: 300 });
    const aborted = outbound.waitForCampaign(campaignId, { signal: stop.signal });
    const cancelled = outbound.waitForCampaign(campaignId);

    await assert.rejects(
      late,
      ({ code, details }) => code === "wait_timed_out" && details.status === "scheduled",
    );
    stop.abort(new Error("enough"));
    await assert.rejects(aborted, /enough/);
    await t.http.post(`/manage/companies/mine/campaigns/${campaignId}/cancel`, undefined, {
      query: { access_key: t.key.key },
    });
    assert.equal((await cancelled).status, "cancelled");
  }));
