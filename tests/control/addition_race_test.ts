import assert from "node:assert/strict";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import {
  cancelCampaign,
  continueStopping,
  pauseCampaign,
} from "../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import type { AcceptRequest } from "../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import {
  acceptAll,
  additionTo,
  assertConserved,
  claim,
  countersOf,
  finish,
  insertSendingCompany,
  letTimePass,
  requestOf,
  type SendingCompany,
  statusesOf,
  tickNow,
} from "../setup/fixtures/queue.ts";
import { assertNothingLeaves, heldOf, pause, resume } from "./campaign.ts";
import { untilBlocked, withOpenTransaction } from "./open_transaction.ts";

const DUE = [undefined, 3600];

Deno.test("a cancellation waits for an addition under way, and cancels that too", async () => {
  for (const dueInS of DUE) {
    await withPostgresDatabase(async ({ sql }) => {
      const company = await insertSendingCompany(sql);
      const request = requestOf(company, { count: 3, dueInS });
      await acceptAll(sql, [request]);

      await withOpenTransaction(sql, async (open, commit) => {
        await acceptAll(open, [additionTo(request, company, { count: 2 })]);
        const cancelling = cancelCampaign(
          sql,
          { companyId: company.id, campaignId: request.campaign.id },
          CLI,
        );
        await untilBlocked(sql);
        await commit();

        assert.deepEqual(await cancelling, { status: "cancelled", changed: 5, in_flight: 0 });
      });
      await assertNothingLeaves(sql);
      await assertConserved(sql);
    });
  }
});

Deno.test("an addition that waits for a cancellation is refused", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const request = requestOf(company, { count: 3 });
    await acceptAll(sql, [request]);

    await withOpenTransaction(sql, async (open, commit) => {
      await cancelCampaign(open, { companyId: company.id, campaignId: request.campaign.id }, CLI);
      const adding = acceptAll(sql, [additionTo(request, company, { count: 2 })]);
      await untilBlocked(sql);
      await commit();

      assert.equal((await adding)[0]!.outcome, "campaign_cancelled");
    });
    assert.deepEqual(await countersOf(sql, request.campaign.id), { cancelled: 3 });
    await assertConserved(sql);
  }));

for (
  const [what, stop, status] of [["cancellation", cancelCampaign, "cancelled"], [
    "pause",
    pauseCampaign,
    "queued",
  ]] as const
) {
  Deno.test(`a notification added during a ${what} that finds it locked does not leave, and is stopped a little later`, () =>
    withPostgresDatabase(async ({ sql }) => {
      const company = await insertSendingCompany(sql);
      const request = requestOf(company);
      const ids = { companyId: company.id, campaignId: request.campaign.id };
      await acceptAll(sql, [request]);
      const added = additionTo(request, company);
      const addedId = added.notifications[0]!.id;

      await withOpenTransaction(sql, async (locksFirst, commitFirst) => {
        await locksFirst`select from outbound.queue for update`;
        const stopping = stop(sql, ids, CLI);
        await untilBlocked(sql);
        await acceptAll(sql, [added]);
        await withOpenTransaction(sql, async (locksAdded, commitAdded) => {
          await locksAdded`select from outbound.queue where id = ${addedId} for update`;
          await commitFirst();
          assert.deepEqual((({ changed, in_flight: inFlight }) => [changed, inFlight])(await stopping), [
            1,
            1,
          ]);
          await commitAdded();
        });
      });
      await assertNothingLeaves(sql);
      await sql`update outbound.campaigns set stopping_at = stopping_at - interval '11 seconds'`;
      await continueStopping(sql);

      assert.deepEqual(await statusesOf(sql, [addedId]), [status]);
      const [row] = await sql`select stopping_at from outbound.campaigns`;
      assert.equal(row!.stopping_at, null);
      await assertNothingLeaves(sql);
      await assertConserved(sql);
    }));
}

Deno.test("a pause waits for an addition under way and holds it, and an addition for a pause", async () => {
  for (const dueInS of DUE) {
    await withPostgresDatabase(async ({ sql }) => {
      const company = await insertSendingCompany(sql);
      const request = requestOf(company, { count: 3, dueInS });
      const { id } = request.campaign;
      await acceptAll(sql, [request]);

      await withOpenTransaction(sql, async (open, commit) => {
        await acceptAll(open, [additionTo(request, company, { count: 2 })]);
        const pausing = pause(sql, company.id, id);
        await untilBlocked(sql);
        await commit();
        assert.deepEqual(await pausing, { paused: 5, in_flight: 0 });
      });
      await resume(sql, company.id, id);
      await withOpenTransaction(sql, async (open, commit) => {
        await pause(open, company.id, id);
        const adding = acceptAll(sql, [additionTo(request, company)]);
        await untilBlocked(sql);
        await commit();
        assert.equal((await adding)[0]!.outcome, "campaign_paused");
      });
      const [warned] = await acceptAll(sql, [additionTo(request, company, { knowsPaused: true })]);
      assert.equal(warned!.outcome, "accepted");
      assert.equal(await heldOf(sql, id), 6);
      await assertNothingLeaves(sql);

      assert.deepEqual(await resume(sql, company.id, id), { resumed: 6, in_flight: 0 });
      await assertConserved(sql);
    });
  }
});

Deno.test("a resume releases what an addition under way has held", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const request = requestOf(company, { count: 3 });
    const { id } = request.campaign;
    await acceptAll(sql, [request]);
    await pause(sql, company.id, id);

    await withOpenTransaction(sql, async (open, commit) => {
      await acceptAll(open, [additionTo(request, company, { count: 2, knowsPaused: true })]);
      const resuming = resume(sql, company.id, id);
      await untilBlocked(sql);
      await commit();
      assert.deepEqual(await resuming, { resumed: 5, in_flight: 0 });
    });
    assert.equal(await heldOf(sql, id), 0);
    assert.equal((await claim(sql)).length, 5);
    await assertConserved(sql);
  }));

Deno.test("a campaign whose last message is recorded while another is added goes on, and completes once", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const request = requestOf(company);
    const { id } = request.campaign;
    await acceptAll(sql, [request]);
    const claimed = await claim(sql);

    await withOpenTransaction(sql, async (open, commit) => {
      await finish(open, claimed, { outcome: "sent" });
      const adding = acceptAll(sql, [additionTo(request, company, { count: 2 })]);
      await untilBlocked(sql);
      await commit();
      assert.equal((await adding)[0]!.outcome, "accepted");
    });
    assert.deepEqual(await countersOf(sql, id), { pending: 2, sent: 1 });
    const added = await claim(sql);
    await withOpenTransaction(sql, async (open, commit) => {
      await acceptAll(open, [additionTo(request, company, { more: true })]);
      const finishing = finish(sql, added, { outcome: "sent" });
      await untilBlocked(sql);
      await commit();
      assert.equal(await finishing, 2);
    });
    await finish(sql, await claim(sql), { outcome: "sent" });
    const [open] = await sql`select completed_at, open_until is not null as is_open from outbound.campaigns`;
    assert.deepEqual({ ...open }, { completed_at: null, is_open: true });

    await letTimePass(sql, 3700);
    await tickNow(sql);

    const [closed] =
      await sql`select completed_at is not null as is_complete, open_until from outbound.campaigns`;
    assert.deepEqual({ ...closed }, { is_complete: true, open_until: null });
    await assertConserved(sql);
  }));

/** A request of a company that names another company's campaign. */
function foreignTo({ campaign }: AcceptRequest, company: SendingCompany): AcceptRequest {
  const own = requestOf(company);
  return additionTo({ ...own, campaign: { ...own.campaign, id: campaign.id } }, company);
}

Deno.test("of additions to two campaigns in one batch each campaign gets its own; the last request of each decides", () =>
  withPostgresDatabase(async ({ sql }) => {
    const [one, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const [first, second] = [requestOf(one), requestOf(other)];
    await acceptAll(sql, [first, second]);
    const batch = [
      additionTo(second, other, { count: 2, more: true }),
      additionTo(first, one, { count: 3, more: true }),
      additionTo(second, other, { count: 4, more: true }),
      additionTo(first, one, { count: 5 }),
      // Each names the other's campaign.
      foreignTo(first, other),
      foreignTo(second, one),
      requestOf(one),
    ];

    const outcomes = (await acceptAll(sql, batch)).map(({ outcome }) => outcome);

    assert.deepEqual(outcomes, [
      ...Array(4).fill("accepted"),
      ...["campaign_not_found", "campaign_not_found", "accepted"],
    ]);
    const rows = await sql`
      select id, total, pending, open_until is not null as is_open from outbound.campaigns
      where id in (${first.campaign.id}, ${second.campaign.id}) order by total`;
    assert.deepEqual(rows.map((row) => [row.id, row.total, row.pending, row.is_open]), [
      [second.campaign.id, 7, 7, true],
      [first.campaign.id, 9, 9, false],
    ]);
    await assertConserved(sql);
  }));

Deno.test("an addition that is sent again after a lost response is stored once, even one without contacts", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const request = requestOf(company);
    await acceptAll(sql, [request]);
    for (const count of [3, 0]) {
      const addition = additionTo(request, company, { count });
      addition.campaign.rejected = 2;
      assert.equal((await acceptAll(sql, [addition]))[0]!.outcome, "accepted");
      assert.equal((await acceptAll(sql, [addition]))[0]!.outcome, "replayed");
    }

    const [row] = await sql`select total, rejected from outbound.campaigns`;
    assert.deepEqual({ ...row }, { total: 4, rejected: 4 });
    await assertConserved(sql);
  }));
