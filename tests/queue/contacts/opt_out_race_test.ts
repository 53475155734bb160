import assert from "node:assert/strict";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import { suppressContacts } from "../../../supabase/functions/_shared/db/contacts/contacts.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  finish,
  insertSendingCompany,
} from "../../setup/fixtures/queue.ts";

const COUNT = 10_000;
const PER_CLAIM = 250;

Deno.test("of 10,000 messages, none leaves in a claim that began after its recipient's opt-out was stored", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { type: "marketing", count: COUNT });
    const numbers = Array.from({ length: COUNT }, (_, index) => String(59_171_000_100 + index));
    const stored = new Set<string>();
    let isLeaving = true;

    async function optOut(first: number) {
      for (let index = first; index < COUNT && isLeaving; index += 40) {
        const number = numbers[(index * 7919) % COUNT]!;
        const at = new Date().toISOString();
        const scope = { number, user_id: null, channel: "any", category: "marketing" } as const;
        await suppressContacts(sql, company.id, [{ ...scope, source: "keyword", at, evidence: null }], CLI);
        stored.add(number);
      }
    }

    async function leave(worker: string) {
      let left = 0;
      while (true) {
        const before = new Set(stored);
        const claimed = await claim(sql, { worker, limit: PER_CLAIM });
        const late = claimed.filter(({ number }) => before.has(number!));
        assert.deepEqual(late.map(({ number }) => number), []);
        await finish(sql, claimed, { outcome: "sent" }, { worker });
        left += claimed.length;
        const [campaign] = await sql<{ pending: number }[]>`
          select pending from outbound.campaigns where id = ${campaignId}`;
        if (campaign!.pending === 0) return left;
      }
    }

    const optOuts = [optOut(0), optOut(13)];
    const left = await Promise.all([leave("w1"), leave("w2")]);
    isLeaving = false;
    await Promise.all(optOuts);

    const sent = left.reduce((sum, count) => sum + count, 0);
    const counters = await countersOf(sql, campaignId);
    assert.deepEqual(counters, { sent, skipped: COUNT - sent });
    assert.ok(counters.skipped! > 0, "opt-outs came while messages left");
    await assertConserved(sql);
  }));
