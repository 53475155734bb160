import assert from "node:assert/strict";
import { createTracing } from "../../../cli/tracing/create_tracing.ts";
import { loadEnv } from "../../../supabase/functions/_shared/env.ts";
import type { Tracing } from "../../../supabase/functions/_shared/telemetry/tracing.ts";
import { withApi } from "../../e2e/with_api.ts";
import { eventuallyAll } from "../../dispatching/with_dispatching.ts";
import { withCalls } from "../../dispatching/with_calls.ts";
import { eventually } from "../../setup/eventually.ts";
import { claim, enqueue, finish, insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { withReceiver } from "../../setup/http/receiver.ts";
import { TEST_ENV, withServices } from "../../setup/stack/services.ts";
import { insertWebhook } from "../../setup/fixtures/webhooks.ts";
import { type ReceivedSpan, withTraceSink } from "./sink.ts";

/** The span of the request that made a campaign. */
const REQUEST = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const TRACEPARENT = `00-${REQUEST.traceId}-${REQUEST.spanId}-01`;

/** Calls `fn` with tracing; `spans` ends it and returns all that it exported. */
async function withTracing(fn: (tracing: Tracing, spans: () => Promise<ReceivedSpan[]>) => Promise<void>) {
  await withTraceSink(async (sink) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, DATABASE_URL: "postgres://u@127.0.0.1:1/x" };
    const tracing = createTracing(loadEnv({ ...TEST_ENV, ...env }));
    await fn(tracing, async () => {
      await tracing.close();
      return sink.spans();
    });
  });
}

const linksOf = ({ links }: ReceivedSpan) => links.map(({ spanId }) => spanId);

Deno.test("a call is linked to its request, the platform's report to the call, and the company's event to the request", () =>
  withReceiver((receiver) =>
    withTracing((tracing, spans) =>
      withCalls(async (t) => {
        await insertWebhook(t.sql, t.calling.id, { url: receiver.url });
        const queued = await t.enqueueCalls({ count: 1 });
        await t.sql`update outbound.campaigns set trace = ${TRACEPARENT}`;

        await t.running(async () => {
          await eventuallyAll(t, queued, "delivered");
          await eventually(() => assert.ok(receiver.received.length >= 2));
        });

        const all = await spans();
        const send = all.find(({ name }) => name === "send")!;
        const reports = all.filter(({ name }) => name === "POST /webhooks/voice");
        const deliveries = all.filter(({ name }) => name === "deliver event");
        assert.deepEqual(linksOf(send), [REQUEST.spanId]);
        assert.ok(reports.some((report) => linksOf(report).includes(send.spanId)), JSON.stringify(reports));
        for (const delivery of deliveries) assert.deepEqual(linksOf(delivery), [REQUEST.spanId]);
        const parents = receiver.received.map(({ headers }) => headers.get("traceparent")?.split("-")[2]);
        assert.deepEqual(parents.toSorted(), deliveries.map(({ spanId }) => spanId).toSorted());
      }, { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" }, services: { tracing } })
    )
  ));

Deno.test("a reply is linked to its request, and the platform's receipts to the reply", () =>
  withTracing((tracing, spans) =>
    withApi(async (api) => {
      const { sandbox, sender, http } = api;
      const query = { access_key: api.key.key };
      const number = "34600111222";
      const listed = async () =>
        (await http.get("/manage/companies/mine/contacts/replies", { query: { ...query, number } })).body
          .replies;
      await sandbox.write(number, {
        phone_number_id: sender.platform_id,
        type: "text",
        text: "Where is it?",
      });
      await eventually(async () => assert.equal((await listed()).length, 1));

      const { status } = await http.post("/manage/companies/mine/contacts/replies", {
        number,
        text: "On its way",
      }, { query });
      assert.equal(status, 200);
      await api.dispatch();
      await eventually(async () => assert.equal((await listed())[0].status, "read"));

      const all = await spans();
      const request = all.find(({ name }) =>
        name === "POST /manage/companies/{company_id}/contacts/replies"
      )!;
      const reply = all.find(({ name }) => name === "send reply")!;
      const receipts = all.filter(({ name }) => name === "POST /webhooks/whatsapp");
      assert.deepEqual(linksOf(reply), [request.spanId]);
      assert.ok(receipts.some((receipt) => linksOf(receipt).includes(reply.spanId)));
    }, { services: { tracing } })
  ));

Deno.test("the sends of a resend are linked to its request, or to the first one where it is not traced", () =>
  withTracing((tracing, spans) =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);
      const resend = async () => {
        const { campaignId } = await enqueue(t.sql, company, { count: 1 });
        await t.sql`update outbound.campaigns set trace = ${TRACEPARENT} where id = ${campaignId}`;
        await finish(t.sql, await claim(t.sql), { outcome: "failed", error_code: "131049" });
        const path = `/manage/companies/mine/campaigns/${campaignId}/resend`;
        const query = { access_key: company.key.key };
        const { status, body } = await t.http.post(path, undefined, { query });
        assert.equal(status, 200);
        const [claimed] = await claim(t.sql);
        assert.equal(claimed!.campaign_id, body.inquiry_set_id);
        return claimed!.trace!;
      };

      const trace = await resend();
      t.services.tracing = { ...tracing, current: () => undefined };
      assert.equal(await resend(), TRACEPARENT);

      const request = (await spans()).find(({ name }) => name.endsWith("/campaigns/{campaign_id}/resend"))!;
      assert.equal(trace.split("-")[1], request.traceId);
    }, { services: { tracing } })
  ));
