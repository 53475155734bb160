import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";

/** A row that a worker sends, of whose first attempt nothing is known, and events that say nothing. */
const NOTHING = {
  status: "sending",
  attempt: 1,
  fence: 1,
  error_code: null as string | null,
  message: null as string | null,
  is_erased: false,
  may_retry: true,
  is_sent: false,
  is_delivered: false,
  is_read: false,
  refused_for_good: false,
  refused_for_now: false,
  failed_messages: null as string[] | null,
  failed_before: null as string[] | null,
  sent_messages: null as string[] | null,
  sent_fences: null as number[] | null,
  other_message: null as string | null,
  other_attempt_was_sent: null as boolean | null,
};

type Given = Partial<typeof NOTHING>;

const SENT: Given = { is_sent: true, sent_messages: ["m1"], sent_fences: [1] };
const DELIVERED: Given = { is_sent: true, is_delivered: true };
const READ: Given = { is_sent: true, is_delivered: true, is_read: true };
const REFUSED: Given = { refused_for_good: true, failed_messages: ["m1"] };
const PUT_OFF: Given = { refused_for_now: true, failed_messages: ["m1"] };
/** The message of the row was sent in its first attempt. */
const M1: Given = { status: "sent", message: "m1" };

const CASES: [about: string, row: Given, events: Given, becomes: string][] = [
  ["nothing new leaves it as it is", {}, {}, "sending"],
  [
    "nothing that is queued and was never tried can have left",
    { status: "queued", attempt: 0 },
    SENT,
    "queued",
  ],
  ["nor can what was cancelled before", { status: "cancelled", attempt: 0 }, DELIVERED, "cancelled"],
  ["nor can what was skipped before", { status: "skipped", attempt: 0 }, READ, "skipped"],

  ["a report of sending settles what is being sent", {}, SENT, "sent"],
  ["and what is unconfirmed", { status: "unconfirmed" }, SENT, "sent"],
  ["and a second attempt that has not left", { status: "queued", attempt: 1 }, SENT, "sent"],
  ["it overrules a cancellation", { status: "cancelled" }, SENT, "sent"],
  ["and a rule", { status: "skipped" }, SENT, "sent"],
  ["and our own guess", { status: "failed", error_code: "outcome_unknown" }, SENT, "sent"],
  ["and the end of its time", { status: "failed", error_code: "expired" }, SENT, "sent"],
  ["but no failure that the platform reported", { status: "failed", error_code: "131026" }, SENT, "failed"],
  ["unless it is of another attempt", { status: "failed", error_code: "131026", fence: 2 }, SENT, "sent"],
  ["a message of which both is reported has failed", {}, { ...SENT, ...REFUSED }, "failed"],
  ["and stays cancelled", { status: "cancelled" }, { ...SENT, ...REFUSED }, "cancelled"],

  ["delivery overrules everything", { status: "failed", error_code: "131026" }, DELIVERED, "delivered"],
  ["reading does", { status: "cancelled" }, READ, "read"],
  ["a later stage stays", { status: "read", message: "m1" }, DELIVERED, "read"],
  ["also when a failure follows", { status: "delivered", message: "m1" }, REFUSED, "delivered"],

  ["the message that counts as sent fails after all", M1, REFUSED, "failed"],
  ["by a report about an earlier attempt too", { ...M1, fence: 2 }, { failed_before: ["m1"] }, "failed"],
  ["not by one about another message", { ...M1, message: "m2" }, REFUSED, "sent"],
  ["nor if another one was accepted", M1, { ...REFUSED, other_message: "m2" }, "sent"],
  ["of an erased recipient any failure counts", { status: "sent", is_erased: true }, REFUSED, "failed"],
  ["unless another attempt was sent", { status: "sent", is_erased: true }, {
    ...REFUSED,
    other_attempt_was_sent: true,
  }, "sent"],
  ["or one is reported as sent", { status: "sent", is_erased: true }, { ...REFUSED, ...SENT }, "sent"],

  ["a refusal for good ends an attempt under way", {}, REFUSED, "failed"],
  ["and one that is unconfirmed", { status: "unconfirmed" }, REFUSED, "failed"],
  ["a failure of an earlier attempt says nothing about the present one", { fence: 2 }, {
    failed_before: ["m1"],
  }, "sending"],
  ["a refusal for now queues what is unconfirmed", { status: "unconfirmed" }, PUT_OFF, "queued"],
  ["or fails it, when it may not be retried", { status: "unconfirmed", may_retry: false }, PUT_OFF, "failed"],
  ["an attempt under way gets its own response", {}, PUT_OFF, "sending"],
  ["a failure changes nothing that was cancelled", { status: "cancelled" }, REFUSED, "cancelled"],
];

Deno.test("next_state() moves a notification by what events say together", async (t) =>
  await withTestDatabase(async ({ sql }) => {
    for (const [about, row, events, becomes] of CASES) {
      await t.step(about, async () => {
        const of = { ...NOTHING, ...row, ...events };
        const [found] = await sql`
          select outbound.next_state(
            ${of.status}, ${of.attempt}, ${of.fence}, ${of.error_code}, ${of.message}, ${of.is_erased}, ${of.may_retry},
            ${of.is_sent}, ${of.is_delivered}, ${of.is_read}, ${of.refused_for_good}, ${of.refused_for_now},
            ${of.failed_messages}::text[], ${of.failed_before}::text[], ${of.sent_messages}::text[],
            ${of.sent_fences}::int[], ${of.other_message}, ${of.other_attempt_was_sent}
          ) as state`;
        assert.equal(found!.state, becomes);
      });
    }
  }));
