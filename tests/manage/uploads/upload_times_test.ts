import assert from "node:assert/strict";
import { csvOf, numberOf, withUploads } from "./with_uploads.ts";

const HOUR_MS = 3_600_000;

Deno.test("a file's recipients get it at their own time of day, by a column, and the dry run shows the zones", () =>
  withUploads(async (t) => {
    const id = await t.create({
      datetime_sending: "2099-01-31T00:00:00",
      timezone: "Europe/Madrid",
      recipient_time: "09:00",
      columns: { number: "Phone", name: "First name", body_text_1: "Order", timezone: "Zone" },
    });
    const zones = (row: number) => row === 150 ? "Asia/Tokyo" : row === 2 ? "nowhere" : "";
    const lines = csvOf(200).trimEnd().split("\r\n")
      .map((line, row) => `${line},${row === 0 ? "Zone" : zones(row)}`);
    const file = `${lines.join("\r\n")}\r\n`;

    const tried = (await t.dryRun(id, file)).body;
    const sent = (await t.send(id, file)).body;

    assert.deepEqual(tried.zones, [
      { timezone: "Europe/Madrid", count: 199, scheduled_time: "2099-01-31T08:00:00Z" },
      { timezone: "Asia/Tokyo", count: 1, scheduled_time: "2099-01-31T00:00:00Z" },
    ]);
    assert.deepEqual([tried.senders[0].count, tried.languages], [200, [{ language: null, count: 200 }]]);
    assert.equal(sent.accepted, 200);
    const rows = await t.sql`
      select number, run_at from outbound.notifications where campaign_id = ${sent.campaign_id}`;
    for (const { number, run_at } of rows) {
      const hour = number === numberOf(150) ? "00" : "08";
      assert.equal(run_at.toISOString(), `2099-01-31T${hour}:00:00.000Z`, number);
    }
    const { body } = await t.ask("GET", `/campaigns/${sent.campaign_id}`);
    assert.deepEqual([body.scheduled_time, body.recipient_time, body.status], [
      "2099-01-31T00:00:00Z",
      "09:00",
      "scheduled",
    ]);
  }));

Deno.test("a file is spread over its period by the address of each row, whatever batch the row is in", () =>
  withUploads(async (t) => {
    const plan = { datetime_sending: "2099-01-31T09:00:00", spread_over: "PT2H" };
    const first = await t.send(await t.create(plan), csvOf(300));
    const other = await t.send(await t.create(plan), csvOf(150));

    const start = Date.parse("2099-01-31T09:00:00Z");
    const timesOf = async (campaignId: string) => {
      const rows = await t.sql`
        select number, run_at from outbound.notifications where campaign_id = ${campaignId} order by number`;
      return rows.map(({ run_at }) => run_at.getTime() - start);
    };
    const times = await timesOf(first.body.campaign_id);

    const counts = [0, 1, 2, 3].map((quarter) =>
      times.filter((at) => Math.floor(at / (HOUR_MS / 2)) === quarter).length
    );
    assert.ok(counts.every((count) => count > 40 && count < 110), counts.join());
    assert.deepEqual(await timesOf(other.body.campaign_id), times.slice(0, 150));
  }));

Deno.test("an upload's times must be of our form: it has no fields of its own with these names", () =>
  withUploads(async (t) => {
    for (const [field, value] of [["recipient_time", "nine"], ["spread_over", "2h"]] as const) {
      const { status, body } = await t.ask("POST", "/uploads", t.body({ [field]: value }));
      assert.deepEqual([status, body.details.field], [400, field]);
    }
  }));
