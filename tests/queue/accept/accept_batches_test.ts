import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import type {
  AcceptOutcome,
  AcceptRequest,
} from "../../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  acceptAll,
  additionTo,
  assertConserved,
  insertSendingCompany,
  requestOf,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";

/** The kinds of request in a batch; `plain` ones need none of the functions that accepting calls for few batches only. */
const KINDS = [
  "plain",
  "voice key",
  "stale",
  "keyed",
  "replay",
  "reused",
  "addition",
  "lost addition",
  "dry",
] as const;
type Kind = typeof KINDS[number];

const EXPECTED: Record<Kind, AcceptOutcome> = {
  plain: "accepted",
  "voice key": "forbidden",
  stale: "stale",
  keyed: "accepted",
  replay: "replayed",
  reused: "key_reused",
  addition: "accepted",
  "lost addition": "campaign_not_found",
  dry: "acceptable",
};

const idempotency = (key: string, requestHash = "hash") => ({
  endpoint: "notify",
  key,
  request_hash: requestHash,
  answer: { success: true, key },
});

interface Example {
  company: SendingCompany;
  voice: SendingCompany;
  campaign: AcceptRequest;
}

/** A company whose campaign is open, whose key `known` has been used, and one that may only call. */
async function insertExample(sql: postgres.Sql): Promise<Example> {
  const company = await insertSendingCompany(sql);
  const voice = await insertSendingCompany(sql, { key: { permissions: ["voice_notifications"] } });
  const campaign = requestOf(company);
  await acceptAll(sql, [campaign, requestOf(company, { idempotency: idempotency("known") })]);
  return { company, voice, campaign };
}

function requestOfKind(kind: Kind, { company, voice, campaign }: Example): AcceptRequest {
  switch (kind) {
    case "plain":
      return requestOf(company, { count: 2 });
    case "voice key":
      return requestOf(voice);
    case "stale":
      return { ...requestOf(company), campaign: { ...requestOf(company).campaign, template_shape: "other" } };
    case "keyed":
      return requestOf(company, { idempotency: idempotency(crypto.randomUUID()) });
    case "replay":
      return requestOf(company, { idempotency: idempotency("known") });
    case "reused":
      return requestOf(company, { idempotency: idempotency("known", "another") });
    case "addition":
      return additionTo(campaign, company, { count: 3, more: true });
    case "lost addition":
      return additionTo(requestOf(company), company);
    case "dry":
      return { ...requestOf(company), dry_run: true };
  }
}

Deno.test("a request gets the same verdict whatever else is in its batch", () =>
  withTestDatabase(async ({ sql }) => {
    const kinds = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 12 });
    // Suppressions of other people make accepting look at each recipient.
    await fc.assert(
      fc.asyncProperty(kinds, fc.boolean(), async (batch, hasSuppressions) => {
        const example = await insertExample(sql);
        if (hasSuppressions) await suppress(sql, example.company, "59171999999");
        const requests = batch.map((kind) => requestOfKind(kind, example));

        const verdicts = await acceptAll(sql, requests);

        assert.deepEqual(verdicts.map(({ outcome }) => outcome), batch.map((kind) => EXPECTED[kind]));
        for (const [index, verdict] of verdicts.entries()) {
          const first = batch[index] === "replay" ? { success: true, key: "known" } : null;
          assert.deepEqual(verdict.answer, first);
        }
        await assertStored(sql, requests.filter((_, index) => verdicts[index]!.outcome === "accepted"));
      }),
      { numRuns: 25 },
    );
    await assertConserved(sql);
  }));

/** Everything of these requests is stored, each under its campaign and in its order of sending. */
async function assertStored(sql: postgres.Sql, requests: AcceptRequest[]): Promise<void> {
  const wanted = requests.flatMap(({ campaign, notifications }) =>
    notifications.map(({ id }) => ({
      id,
      campaign_id: campaign.id,
      sender_id: campaign.sender_id,
      priority: 1,
    }))
  );
  const stored = await sql`
    select n.id, n.campaign_id, n.sender_id, n.priority
    from unnest(${wanted.map(({ id }) => id)}::uuid[]) with ordinality as w(id, ord)
    join outbound.notifications as n on n.id = w.id order by w.ord`;
  assert.deepEqual(stored.map((row) => ({ ...row })), wanted);
}

async function suppress(sql: postgres.Sql, { id }: SendingCompany, address: string): Promise<void> {
  await sql`
    insert into outbound.suppressions (company_id, address, channel, category, source, at)
    values (${id}, ${address}, 'any', 'all', 'api', now())`;
}

Deno.test("of a batch, each company's recipients are judged by that company's suppressions", () =>
  withTestDatabase(async ({ sql }) => {
    const [one, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const [first, second] = [requestOf(one, { count: 3 }), requestOf(other, { count: 3 })];
    const refused = first.notifications[1]!;
    await suppress(sql, one, refused.number!);
    await suppress(sql, other, "59171999999");

    const verdicts = await acceptAll(sql, [second, first, requestOf(one, { count: 1 })]);

    assert.deepEqual(verdicts.map(({ outcome, recipients }) => [outcome, recipients]), [
      ["accepted", null],
      ["recipients", [{ id: refused.id, code: "opted_out" }]],
      ["accepted", null],
    ]);
  }));

Deno.test("a request that was stored is accepted again when a rule would refuse it now, and an addition is not", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const request = requestOf(company, { count: 2 });
    await acceptAll(sql, [request]);
    await sql`update outbound.templates set status = 'disabled' where id = ${company.template.id}`;

    const verdicts = await acceptAll(sql, [request, additionTo(request, company), requestOf(company)]);

    assert.deepEqual(verdicts.map(({ outcome }) => outcome), ["accepted", "stale", "stale"]);
    const [row] = await sql`select total from outbound.campaigns`;
    assert.equal(row!.total, 2);
  }));

Deno.test("an undecided request keeps no later one out that fits", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { key: { daily_quota: 5 } });

    const verdicts = await acceptAll(sql, [3, 4, 2].map((count) => requestOf(company, { count })));

    assert.deepEqual(verdicts.map(({ outcome, quota_used }) => [outcome, quota_used]), [
      ["accepted", 3],
      ["quota_exceeded", 3],
      ["accepted", 5],
    ]);
  }));
