import assert from "node:assert/strict";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { readOperatingFigures } from "../../../supabase/functions/_shared/db/queue/operating_figures.ts";
import { type TestDatabase, withTestDatabase } from "../../setup/database/database.ts";
import {
  claim,
  enqueue,
  fillBucket,
  insertSendingCompany,
  letTimePass,
  tickNow,
} from "../../setup/fixtures/queue.ts";

const read = ({ sql }: TestDatabase) => readOperatingFigures(sql as unknown as Sql);

Deno.test("operating_figures() of an empty database counts nothing", () =>
  withTestDatabase(async (database) => {
    const { snapshot_s, xmin_age, ...figures } = await read(database);

    assert.ok(snapshot_s >= 0 && xmin_age >= 0);
    assert.deepEqual(figures, {
      ...{ due: 0, scheduled: 0, held: 0, sending: 0, unconfirmed: 0 },
      senders: { active: 0, stopped: 0, locked: 0 },
      ...{ senders_low: 0, senders_warned: 0, campaigns_held: 0, events_unapplied: 0, deliveries_pending: 0 },
      ...{ oldest_due_s: 0, oldest_event_s: 0, oldest_delivery_s: 0, webhook_failing_s: 0 },
      ...{ calls_active: 0, calls_overdue: 0, leases_lost: 0, foreign_events: 0, cell_active: 1 },
    });
  }));

Deno.test("operating_figures() counts notifications by state, and how long the oldest has been due", () =>
  withTestDatabase(async (database) => {
    const { sql } = database;
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 5 });
    await letTimePass(sql, 90);
    await enqueue(sql, company, { count: 3, dueInS: 3600 });
    const held = await enqueue(sql, company, { count: 2 });
    await sql`select outbound.pause_campaign(${company.id}, ${held.campaignId})`;
    await fillBucket(sql, company.sender.id);
    await claim(sql, { limit: 1 });

    const figures = await read(database);

    assert.deepEqual(
      [figures.due, figures.scheduled, figures.held, figures.sending, figures.senders.active],
      [4, 3, 2, 1, 1],
    );
    assert.ok(figures.oldest_due_s! >= 90 && figures.oldest_due_s! < 150, `${figures.oldest_due_s}`);
  }));

Deno.test("operating_figures() counts what is due of no stopped sender, and stopped senders by kind", () =>
  withTestDatabase(async (database) => {
    const { sql } = database;
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 2 });
    await sql`update outbound.senders set status = 'stopped', stopped_reason = 'token', stopped_at = now(),
      quality = 'RED', platform_notice = 'careful', platform_notice_at = now()`;

    const figures = await read(database);

    assert.equal(figures.due, 0);
    assert.deepEqual(figures.senders, { active: 0, stopped: 1, locked: 0 });
    assert.deepEqual([figures.senders_low, figures.senders_warned], [1, 1]);
  }));

Deno.test("operating_figures() counts leases that ran out within five minutes, and what they left unconfirmed", () =>
  withTestDatabase(async (database) => {
    const { sql } = database;
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 2 });
    await fillBucket(sql, company.sender.id);
    await claim(sql, { limit: 2 });
    await letTimePass(sql, 61);
    await tickNow(sql);

    const figures = await read(database);

    assert.deepEqual([figures.leases_lost, figures.sending, figures.unconfirmed], [2, 0, 2]);
    assert.ok(figures.tick_s!.dispatcher! < 60);
  }));
