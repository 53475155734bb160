import assert from "node:assert/strict";
import { insertMember, insertSender, insertVoiceSender } from "../setup/fixtures/fixtures.ts";
import { enqueue, insertSendingCompany } from "../setup/fixtures/queue.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withManage } from "./with_manage.ts";

Deno.test("GET …/senders lists senders page by page, newest first, filtered, never with their tokens", () =>
  withManage(async (t) => {
    const { id } = t.company;
    const sender = await insertSender(t.sql, id);
    const stopped = await insertSender(t.sql, id, { status: "stopped", stopped_reason: "The token expired" });
    const voice = await insertVoiceSender(t.sql, id);
    await insertSender(t.sql, (await insertSendingCompany(t.sql)).id);
    const list = async (query: Record<string, string>) => (await t.read("/senders", query)).body;

    const first = await list({ limit: "2" });
    const second = await list({ limit: "2", after: first.next });

    const ids = [...first.senders, ...second.senders].map((row: JsonObject) => row.sender_id);
    assert.deepEqual(ids, [voice.id, stopped.id, sender.id]);
    assert.equal(second.next, null);
    const filtered = await list({ channel: "whatsapp", status: "stopped" });
    assert.deepEqual(filtered.senders.map((row: JsonObject) => [row.sender_id, row.stopped_reason]), [
      [stopped.id, "The token expired"],
    ]);
    assert.equal(first.senders[0].has_token, true);
    assert.doesNotMatch(JSON.stringify(first), /token_sealed|token-/);
    assert.deepEqual(filtered.senders[0].wait.reason, "sender_stopped");
    await t.sql`update outbound.senders set locked = true where id = ${stopped.id}`;
    const [locked] = (await list({ status: "stopped" })).senders;
    assert.deepEqual([locked.wait.reason, locked.wait.until], ["sender_locked", null]);
  }));

Deno.test("GET …/senders/{sender_id} shows its pace and how much waits for it", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
    await enqueue(t.sql, company, { count: 3 });
    await t.sql`update outbound.sender_rate_state set throttle = 0.5, throttled_at = now(),
      failures = 5, unreachable_since = now() - interval '5 minutes', blocked_until = now() + interval '1 minute'
      where sender_id = ${company.sender.id}`;

    const path = `/companies/${company.id}/senders/${company.sender.id}`;
    const { body } = await t.members.viewer.ask("GET", path);

    assert.deepEqual([body.waiting, body.ongoing_calls, body.throttle], [3, 0, 0.5]);
    const { reason, since, until } = body.wait;
    assert.equal(reason, "platform_unreachable");
    assert.ok(Date.parse(since) < Date.now() && Date.now() < Date.parse(until));
    assert.equal((await t.read(`/senders/${company.sender.id}`)).status, 404);
  }));

Deno.test("a stopped sender is resumed once, and its rate is set, each with an audit row", () =>
  withManage(async (t) => {
    const { id } = await insertSender(t.sql, t.company.id, {
      status: "stopped",
      stopped_reason: "The token expired",
    });
    const { operator } = t.members;
    const setRate = (body: unknown) =>
      operator.ask("PUT", `/companies/${t.company.id}/senders/${id}/rate`, body);

    for (let repeat = 0; repeat < 2; repeat++) {
      const { body } = await t.act(`/senders/${id}/resume`);
      assert.equal(body.status, "active");
    }
    assert.equal((await setRate({ rate_per_second: 40 })).body.rate_per_second, 40);
    assert.equal((await setRate({ rate_per_second: 40 })).status, 200);

    const { body: { audit } } = await t.read("/audit", { subject: id });
    const by = { actor: `user:${operator.userId}`, subject: id };
    const changes = audit.map((
      { actor, subject, action, before, after }: JsonObject,
    ) => ({ actor, subject, action, before, after }));
    assert.deepEqual(changes, [
      { ...by, action: "sender.updated", before: { rate_per_second: 80 }, after: { rate_per_second: 40 } },
      {
        ...by,
        action: "sender.resumed",
        before: { status: "stopped", stopped_reason: "The token expired" },
        after: { status: "active", stopped_reason: null },
      },
    ]);
  }));

Deno.test("PUT …/senders/{sender_id}/rate refuses what is no rate, and senders of others", () =>
  withManage(async (t) => {
    const { id } = await insertSender(t.sql, t.company.id);
    const other = await insertSendingCompany(t.sql);
    const setRate = (senderId: string, body: unknown) =>
      t.members.operator.ask("PUT", `/companies/${t.company.id}/senders/${senderId}/rate`, body);

    for (
      const body of [{}, { rate_per_second: 0 }, { rate_per_second: 1.5 }, { concurrency: 1001 }, {
        rate_per_second: "40",
      }]
    ) {
      const answer = await setRate(id, body);
      assert.deepEqual([answer.status, answer.body.error], [400, "validation_failed"], JSON.stringify(body));
    }
    assert.equal((await setRate(other.sender.id, { rate_per_second: 1 })).status, 404);
    assert.equal((await t.act(`/senders/${other.sender.id}/resume`)).status, 404);
    const [row] = await t.sql`select rate_per_second from outbound.senders where id = ${other.sender.id}`;
    assert.equal(row!.rate_per_second, 100_000);
  }));
