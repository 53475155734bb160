import assert from "node:assert/strict";
import fc from "fast-check";
import {
  applyPreferences,
  type PreferenceRow,
} from "../../supabase/functions/_shared/db/contacts/inbound.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertSendingCompany } from "../setup/fixtures/queue.ts";
import { ANA } from "../webhooks/inbound.ts";

interface Choice {
  value: PreferenceRow["value"];
  minute: number;
}

/** Choices of one person at different times; the last of them may arrive first. */
const choices = fc.uniqueArray(
  fc.record({
    value: fc.constantFrom("stop" as const, "resume" as const),
    minute: fc.integer({ min: 1, max: 9 }),
  }),
  { minLength: 1, maxLength: 6, selector: ({ minute }) => minute },
);

Deno.test("of a person's choices at the platform, the latest counts, in whatever order and how often they arrive", () =>
  withTestDatabase(async ({ sql }) => {
    let person = 0;
    await fc.assert(
      fc.asyncProperty(choices, fc.boolean(), async (chosen, repeated) => {
        const { id, sender } = await insertSendingCompany(sql);
        const number = String(Number(ANA.number) + person++);
        const rowOf = ({ value, minute }: Choice): PreferenceRow => ({
          waba_id: sender.waba_id!,
          phone_number_id: sender.platform_id,
          number,
          user_id: null,
          value,
          detail: null,
          at: new Date(1_790_000_000_000 + minute * 60_000 - 365 * 86_400_000).toISOString(),
        });

        for (const choice of repeated ? [...chosen, ...chosen] : chosen) {
          await applyPreferences(sql, [rowOf(choice)]);
        }

        const current = await sql`
          select source from outbound.suppressions where company_id = ${id} and lifted_at is null`;
        const last = chosen.reduce((one, other) => one.minute > other.minute ? one : other);
        assert.equal(current.length > 0, last.value === "stop");
      }),
      { numRuns: 60 },
    );
  }));

Deno.test("a choice that had nothing to lift is remembered under every address, once", () =>
  withTestDatabase(async ({ sql }) => {
    const { id, sender } = await insertSendingCompany(sql);
    const choice = { waba_id: sender.waba_id!, phone_number_id: sender.platform_id, detail: null };
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const [resumed, stopped] = [minutesAgo(5), minutesAgo(9)];

    for (const at of [resumed, resumed]) {
      await applyPreferences(sql, [{ ...choice, ...ANA, value: "resume", at }]);
    }
    for (const address of [{ number: ANA.number, user_id: null }, { number: null, user_id: ANA.user_id }]) {
      await applyPreferences(sql, [{ ...choice, ...address, value: "stop", at: stopped }]);
    }

    const rows = await sql`
      select address, lifted_by from outbound.suppressions where company_id = ${id} order by address collate "C"`;
    assert.deepEqual(rows.map(({ address, lifted_by }) => [address, lifted_by]), [
      [ANA.number, "platform"],
      [ANA.user_id, "platform"],
    ]);
    assert.equal((await sql`select from outbound.outgoing_events`).length, 0, "nothing was lifted");
  }));
