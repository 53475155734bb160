import assert from "node:assert/strict";
import { runDispatcher } from "../../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { eventually } from "../../setup/eventually.ts";
import { type Api, withApi } from "../with_api.ts";

/** A moment as a wall clock in a zone shows it, in the form that datetime_sending takes. */
function wallClock(moment: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
    .format(moment).replace(" ", "T");
}

/** A whole second, `seconds` from now. */
function inSeconds(seconds: number): Date {
  return new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000);
}

const utc = (moment: Date) => moment.toISOString().replace(".000Z", "Z");

Deno.test("a time is read in its zone, UTC where none is given, and returned in UTC", () =>
  withApi(async ({ notify, status }) => {
    const due = inSeconds(86_400);
    for (
      const timezone of [
        "Europe/Madrid",
        "America/New_York",
        "Asia/Kathmandu",
        "Pacific/Kiritimati",
        "UTC",
        undefined,
      ]
    ) {
      const datetime_sending = wallClock(due, timezone ?? "UTC");
      const { status: code, body } = await notify({ datetime_sending, timezone });

      assert.deepEqual([code, body.scheduled_time], [200, utc(due)], String(timezone));
      assert.deepEqual(
        Object.keys(body).sort(),
        ["inquiry_set_id", "message", "scheduled_time", "success"],
      );
      const campaign = await status(body.inquiry_set_id);
      assert.deepEqual([campaign.status, campaign.scheduled_time, campaign.pending], [
        "scheduled",
        utc(due),
        1,
      ]);
    }
  }));

/** Runs a dispatcher until `done` holds. */
async function dispatchUntil({ services }: Api, done: () => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const dispatcher = runDispatcher(services, { signal: controller.signal });
  try {
    await eventually(done);
  } finally {
    controller.abort();
    await dispatcher;
  }
}

Deno.test("a scheduled message is sent at its time, and not before", () =>
  withApi(async (api) => {
    const due = inSeconds(2);
    const contacts = ["34600111222", "34600111223"].map((number) => ({ number, name: "A" }));
    const timezone = "Asia/Tokyo";
    const datetime_sending = wallClock(due, timezone);
    const { body } = await api.notify({ datetime_sending, timezone, contact: undefined, contacts });
    assert.deepEqual([body.scheduled_time, body.processed], [utc(due), 2]);

    await dispatchUntil(api, async () => assert.equal((await api.status(body.inquiry_set_id)).read, 2));
    for (const { accepted_at } of await api.sandbox.messages()) {
      const late = Date.parse(accepted_at) - due.getTime();
      assert.ok(late >= 0 && late < 2000, `${late} ms late`);
    }
    const { started_at, completed_at, status } = await api.status(body.inquiry_set_id);
    assert.equal(status, "completed");
    assert.ok(started_at >= utc(due) && completed_at >= started_at, `${started_at} ${completed_at}`);
  }));

Deno.test("a dispatcher leaves what is not due alone, and no other message waits for it", () =>
  withApi(async (api) => {
    const later = await api.notify({ datetime_sending: wallClock(inSeconds(3600), "UTC") });
    const now = await api.notify();
    await api.dispatch();

    const [waiting, sent] = [
      await api.status(later.body.inquiry_set_id),
      await api.status(now.body.inquiry_set_id),
    ];
    assert.deepEqual([waiting.status, waiting.pending, waiting.started_at], ["scheduled", 1, null]);
    assert.equal(sent.sent, 1);
    assert.equal((await api.sandbox.messages()).length, 1);
  }));
