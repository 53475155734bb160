import assert from "node:assert/strict";
import { firstIdAt } from "../../../supabase/functions/_shared/values/uuid.ts";
import {
  acceptAll,
  claim,
  enqueue,
  finish,
  insertSendingCompany,
  requestOf,
} from "../../setup/fixtures/queue.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import { withManage } from "../with_manage.ts";

Deno.test("GET …/campaigns lists campaigns page by page, newest first, and filters them", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
    const ids: string[] = [];
    for (let count = 1; count <= 3; count++) {
      ids.unshift((await enqueue(t.sql, company, { count })).campaignId);
    }
    const list = async (query: Record<string, string>) =>
      (await t.members.viewer.ask("GET", `/companies/${company.id}/campaigns`, undefined, query)).body;

    const first = await list({ limit: "2" });
    const second = await list({ limit: "2", after: first.next });

    const listed = [...first.campaigns, ...second.campaigns].map(({ campaign_id }) => campaign_id);
    // Ids are in the order of acceptance, except those of these tests.
    assert.deepEqual([first.campaigns.length, listed], [2, ids.sort().reverse()]);
    assert.equal(second.next, null);
    assert.equal((await list({ open: "false" })).campaigns.length, 0);
    assert.equal((await list({ open: "true", channel: "whatsapp" })).campaigns.length, 3);
    assert.equal((await list({ channel: "voice" })).campaigns.length, 0);
  }));

Deno.test("GET …/campaigns finds those that were made in a time, page by page", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
    const ids: string[] = [];
    for (const day of [1, 2, 3]) {
      const request = requestOf(company);
      const id = firstIdAt(new Date(Date.UTC(2026, 11, day, 12)));
      ids.push(id);
      await acceptAll(t.sql, [{ ...request, campaign: { ...request.campaign, id } }]);
    }
    const list = async (query: Record<string, string>) => {
      const { body } = await t.members.viewer.ask(
        "GET",
        `/companies/${company.id}/campaigns`,
        undefined,
        query,
      );
      return body.campaigns.map(({ campaign_id }: Record<string, string>) => ids.indexOf(campaign_id!) + 1);
    };

    const [from, to] = ["2026-12-02T00:00:00Z", "2026-12-03T00:00:00Z"];
    assert.deepEqual(await list({ from }), [3, 2]);
    assert.deepEqual(await list({ to }), [2, 1]);
    assert.deepEqual(await list({ from, to }), [2]);
    assert.deepEqual(await list({ from, to, open: "true", channel: "whatsapp", name: "campaign" }), [2]);
    assert.deepEqual(await list({ to, open: "true" }), [2, 1]);
    assert.deepEqual(await list({ to, after: ids[1]! }), [1]);
    assert.deepEqual(await list({ to, after: ids[2]! }), [2, 1]);
    assert.deepEqual(await list({ from: "2026-12-02T13:00:00+01:00" }), [3, 2]);
  }));

Deno.test("a member pauses, resumes and cancels a campaign, and each is in the audit once, however often it is asked", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { operator } = t.members;
    await insertMember(t.sql, company.id, operator.userId, "operator");
    const { campaignId } = await enqueue(t.sql, company, { count: 2 });
    const below = `/companies/${company.id}`;

    const states = [];
    for (const verb of ["pause", "resume", "cancel"]) {
      for (let repeat = 0; repeat < 2; repeat++) {
        const { body } = await operator.ask("POST", `${below}/campaigns/${campaignId}/${verb}`);
        states.push([body.status, body.changed]);
      }
    }

    assert.deepEqual(states, [
      ...[["paused", 2], ["paused", 0]],
      ...[["sending", 2], ["sending", 0]],
      ...[["cancelled", 2], ["cancelled", 0]],
    ]);
    const { body: { audit } } = await operator.ask("GET", `${below}/audit`, undefined, {
      subject: campaignId,
    });
    assert.deepEqual(
      audit.map(({ actor, action }: Record<string, string>) => [actor, action]),
      ["cancelled", "resumed", "paused"].map((verb) => [`user:${operator.userId}`, `campaign.${verb}`]),
    );
  }));

Deno.test("a campaign, the lists and the overview say why all that is left waits, and until when", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
    const { campaignId } = await enqueue(t.sql, company, { count: 2 });
    const read = async (path: string) =>
      (await t.members.viewer.ask("GET", `/companies/${company.id}${path}`)).body;
    const show = () => read(`/campaigns/${campaignId}`);

    const [first, second] = await claim(t.sql, { limit: 2 });
    const postponed = { outcome: "postponed", error_code: "sending_hours", reason: "Too early" } as const;
    await finish(t.sql, [first!], { ...postponed, retry_in_s: 7200 });
    assert.equal((await show()).wait, null);
    await finish(t.sql, [second!], { ...postponed, retry_in_s: 3600 });

    const { status, wait } = await show();
    assert.deepEqual([status, wait.reason], ["sending", "sending_hours"]);
    const inS = (Date.parse(wait.until) - Date.now()) / 1000;
    assert.ok(Date.parse(wait.since) <= Date.now() && inS > 3000 && inS <= 3600);
    for (const filter of ["", "?open=true", "?name=campaign"]) {
      assert.deepEqual((await read(`/campaigns${filter}`)).campaigns[0].wait, wait, filter);
    }
    await enqueue(t.sql, company, { count: 3 });
    const overview = await read("/overview");
    assert.deepEqual([overview.waiting, overview.put_off, overview.wait], [5, 2, wait]);
    await t.sql`select outbound.pause_campaign(${company.id}, ${campaignId})`;
    assert.deepEqual([(await show()).paused_reason, (await show()).wait], ["operator", null]);
  }));

Deno.test("a campaign of another company is not found", () =>
  withManage(async (t) => {
    const { campaignId } = await enqueue(t.sql, await insertSendingCompany(t.sql));
    assert.equal((await t.act(`/campaigns/${campaignId}/pause`)).status, 404);
  }));
