import assert from "node:assert/strict";
import { listSenders } from "../../supabase/functions/_shared/http/company/senders.ts";
import { showCampaign } from "../../supabase/functions/_shared/http/company/campaign_details.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { collectLog } from "../setup/stack/collect_log.ts";
import { eventually } from "../setup/eventually.ts";
import { freePort } from "../setup/database/postgres_cluster.ts";
import { eventuallyAll, withDispatching } from "./with_dispatching.ts";

const BEGINS = "the platform does not respond: messages wait";
const ENDS = "the platform responds again";

Deno.test("an outage of the platform says its name: once in the log, and wherever something waits for it", async () => {
  const port = freePort();
  await withDispatching(async (t) => {
    const { log, entries } = collectLog();
    const services = { ...t.dispatcherServices, log };
    const outages = () => entries.filter(({ message }) => message === BEGINS || message === ENDS);
    const health = async () => await t.http.get("/health");
    const reasons = async () => {
      const { senders } = await listSenders(t.sql, t.company.id, { limit: 10 });
      const ids = { companyId: t.company.id, campaignId: queued.campaignId };
      const { wait } = await showCampaign(t.dispatcherServices, ids);
      return [senders[0]!.wait, wait];
    };
    const queued = await t.enqueue(20);

    await t.running(() =>
      t.running(async () => {
        await eventually(() => assert.equal(outages().length, 1));
        const [{ platform, senders, level }] = outages() as [Record<string, unknown>];
        assert.deepEqual([platform, senders, level], ["whatsapp", 1, "warn"]);
        for (const wait of await reasons()) {
          assert.equal(wait?.reason, "platform_unreachable");
          assert.ok(Date.parse(wait.since) < Date.parse(wait.until!));
        }
        await eventually(async () => {
          const { status, body } = await health();
          assert.deepEqual([status, body.status], [200, "ok"]);
          assert.deepEqual(body.outages.map((each: Record<string, unknown>) => each.platform), ["whatsapp"]);
        });

        const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (request) => {
          await request.body?.cancel();
          return Response.json({ messages: [{ id: `wamid.${crypto.randomUUID()}` }] });
        });
        await eventuallyAll(t, queued, "sent", 20_000);
        await eventually(() => assert.equal(outages().length, 2));
        await closeServer(server);
      }, services), services);

    assert.deepEqual(outages().map(({ message }) => message), [BEGINS, ENDS]);
    assert.deepEqual(await reasons(), [null, null]);
    await eventually(async () => assert.deepEqual((await health()).body.outages, []));
  }, { WHATSAPP_API_URL: `http://127.0.0.1:${port}` });
});

Deno.test("a sender with nothing left to try has no outage", () =>
  withDispatching(async (t) => {
    const outages = () => t.sql`select channel from outbound.platform_outages()`;
    const since = (ago: string) =>
      t.sql`update outbound.sender_rate_state set failures = 5, unreachable_since = now() - interval '1 hour',
        blocked_until = now() - ${ago}::interval, refilled_at = now() - ${ago}::interval`;

    await since("1 minute");
    assert.deepEqual((await outages()).map(({ channel }) => channel), ["whatsapp"]);
    await since("3 minutes");
    assert.deepEqual([...await outages()], []);
  }));
