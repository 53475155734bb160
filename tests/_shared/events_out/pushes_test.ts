import assert from "node:assert/strict";
import { makeVapidKeys } from "../../../supabase/functions/_shared/crypto/vapid.ts";
import { createPushes } from "../../../supabase/functions/_shared/events_out/pushes.ts";
import { eventually } from "../../setup/eventually.ts";
import {
  insertCompany,
  insertMember,
  insertSender,
  type SenderFixture,
} from "../../setup/fixtures/fixtures.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { type PushService, withPushService } from "../../setup/http/push_service.ts";
import { type TestServices, withServices } from "../../setup/stack/services.ts";
import { receive } from "../../webhooks/inbound.ts";

const { publicKey, privateKey } = await makeVapidKeys();
const ENV = {
  OUTBOUND_VAPID_PUBLIC_KEY: publicKey,
  OUTBOUND_VAPID_PRIVATE_KEY: privateKey,
  OUTBOUND_CONSOLE_URL: "https://console.example.com",
  OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true",
};

interface Environment extends TestServices, PushService {
  companyId: string;
  widgetId: string;
  sender: SenderFixture;
  /** Two who may reply, and one who may only look, each with a browser. */
  members: Record<"ana" | "bo" | "viewer", string>;
  /** The browsers that were notified since the last call, in the order of their names. */
  notified(): string[];
  /** Sends all that is due, with a worker of its own. */
  push(): Promise<void>;
}

function withPushes(
  use: (t: Environment) => Promise<void>,
  answer?: Parameters<typeof withPushService>[1],
): Promise<void> {
  return withPushService((service) =>
    withServices(async (t) => {
      const { id: companyId } = await insertCompany(t.sql, { name: "Acme" });
      const names = ["ana", "bo", "viewer"] as const;
      const members = Object.fromEntries(
        names.map((name) => [name, crypto.randomUUID()]),
      ) as Environment["members"];
      for (const name of names) {
        await insertMember(t.sql, companyId, members[name], name === "viewer" ? "viewer" : "operator");
        await subscribe(t, companyId, members[name], service.subscription(name));
      }
      let seen = 0;
      await use({
        ...t,
        ...service,
        companyId,
        members,
        widgetId: (await insertWidget(t.sql, companyId)).id,
        sender: await insertSender(t.sql, companyId),
        notified() {
          const news = service.received.slice(seen).map(({ path }) => path.slice(1)).sort();
          seen = service.received.length;
          return news;
        },
        push: () => start(t).stop("idle"),
      });
    }, { env: ENV }), answer);
}

async function subscribe(
  { sql }: TestServices,
  companyId: string,
  userId: string,
  { endpoint, keys, language }: ReturnType<PushService["subscription"]>,
): Promise<void> {
  const row = { company_id: companyId, user_id: userId, endpoint, ...keys, language };
  await sql`insert into outbound.push_subscriptions ${sql(row)}`;
}

function start({ services }: TestServices) {
  const pushes = createPushes(services, { signal: new AbortController().signal });
  pushes.run();
  return pushes;
}

async function requestHandoff({ sql, companyId, widgetId }: Environment): Promise<string> {
  const id = crypto.randomUUID();
  await sql`select outbound.request_handoff(${companyId}, ${id}, ${widgetId}, gen_random_uuid(), 'conv_1',
    'Asks for a person', '{"number": "34600111222"}', 'room')`;
  return id;
}

async function openChat({ sql, companyId, widgetId }: Environment): Promise<string> {
  const id = crypto.randomUUID();
  await sql`insert into outbound.conversations (company_id, id, widget_id, user_id, token_hash, stored_bytes_left)
    values (${companyId}, ${id}, ${widgetId}, gen_random_uuid(), encode(sha256(${id}::bytea), 'hex'), 16384)`;
  return id;
}

const post = ({ sql, companyId }: Environment, id: string, author: "visitor" | "operator") =>
  sql`select outbound.add_message(${companyId}, ${id}, ${author}, 'My card is 4111', null, '{}')`;

const waiting = async ({ sql }: TestServices) =>
  (await sql`select attempt, worker, extract(epoch from run_at - now())::float8 as in_s
    from outbound.push_notices`).map(({ attempt, worker, in_s }) => ({ attempt, worker, in_s }));

Deno.test("a handoff notifies all members who may reply, once, with nothing of who called or why", () =>
  withPushes(async (t) => {
    const id = await requestHandoff(t);

    await t.push();
    await t.push();

    assert.deepEqual(t.notified(), ["ana", "bo"]);
    const [{ message, headers, claims }] = t.received as [PushService["received"][0]];
    assert.deepEqual(message, {
      company_id: t.companyId,
      company: "Acme",
      conversation_id: id,
      kind: "handoff",
      language: "es",
    });
    assert.equal(claims.sub, ENV.OUTBOUND_CONSOLE_URL);
    assert.equal(headers.get("topic"), id.replaceAll("-", ""));
    const ttl = Number(headers.get("ttl"));
    assert.ok(ttl > 540 && ttl <= 600, `${ttl}`);
    assert.deepEqual(await waiting(t), []);
  }));

Deno.test("a chat that a machine replies to notifies no member before a person is wanted, and then all, each time once", () =>
  withPushes(async (t) => {
    const { sql, companyId } = t;
    const [found, missed, asked] = [await openChat(t), await openChat(t), await openChat(t)];
    const say = (id: string, fits: boolean, text = "I found this") => {
      const reply = { text, content: { sender: { name: "Assistant", is_machine: true } }, fits };
      return sql`
        select outbound.add_visitor_message(${companyId}, ${id}, 'My card is 4111', null, '{}', ${
        sql.json(reply)
      })`;
    };
    const request = () =>
      sql`select outbound.request_person(${companyId}, ${asked}, 'You asked for a person')`;
    const notified = async () => {
      await t.push();
      return t.notified();
    };

    await say(found, true);
    await say(asked, true);
    assert.deepEqual(await notified(), []);
    await say(missed, false);
    assert.deepEqual(await notified(), ["ana", "bo"]);
    await say(missed, false);
    await say(missed, true);
    assert.deepEqual(await notified(), []);
    await request();
    assert.deepEqual(await notified(), ["ana", "bo"]);
    await request();
    await say(asked, true);
    assert.deepEqual(await notified(), []);

    await assert.rejects(say(found, true, "x".repeat(4001)), { code: "23514" });
    const messages = await sql`
      select author from outbound.conversation_messages where conversation_id = ${found} order by sequence`;
    assert.deepEqual(messages.map(({ author }) => author), ["visitor", "operator"]);
  }));

Deno.test("a chat that no member has notifies all when it begins to wait, and then the member who took it, of each message", () =>
  withPushes(async (t) => {
    const id = await openChat(t);
    await post(t, id, "visitor");
    await t.push();
    assert.deepEqual(t.notified(), ["ana", "bo"]);
    await post(t, id, "visitor");
    await t.push();
    assert.deepEqual(t.notified(), []);

    await t.sql`update outbound.conversations set assigned_to = ${t.members.bo} where id = ${id}`;
    await post(t, id, "operator");
    await t.push();
    assert.deepEqual(t.notified(), []);
    for (const _ of [1, 2]) {
      await post(t, id, "visitor");
      await t.push();
    }

    assert.deepEqual(t.notified(), ["bo", "bo"]);
    assert.ok(!JSON.stringify(t.received.map(({ message }) => message)).includes("4111"));
  }));

Deno.test("a reply on WhatsApp notifies the member who has the thread, and none where no member has", () =>
  withPushes(async (t) => {
    await receive(t, t.sender, "Hello");
    await t.push();
    assert.deepEqual(t.notified(), []);
    const [thread] = await t.sql`
      update outbound.contact_threads set assigned_to = ${t.members.ana} returning id`;

    await receive(t, t.sender, "Are you there?");
    await t.push();

    assert.deepEqual(t.notified(), ["ana"]);
    assert.equal(t.received[0]!.message.kind, "whatsapp");
    assert.equal(t.received[0]!.message.conversation_id, thread!.id);
  }));

Deno.test("messages that come before the first was sent notify once", () =>
  withPushes(async (t) => {
    const id = await openChat(t);
    await t.sql`update outbound.conversations set assigned_to = ${t.members.ana} where id = ${id}`;

    for (const _ of [1, 2, 3]) await post(t, id, "visitor");
    await t.push();

    assert.deepEqual(t.notified(), ["ana"]);
  }));

Deno.test("a browser whose push service says that it is gone is removed, and the others are notified", () =>
  withPushes(async (t) => {
    await requestHandoff(t);

    await t.push();

    assert.deepEqual(t.notified(), ["ana", "bo"]);
    const left = await t.sql`select endpoint from outbound.push_subscriptions order by endpoint`;
    assert.deepEqual(left.map(({ endpoint }) => endpoint.split("/").at(-1)), ["bo", "viewer"]);
    assert.deepEqual(await waiting(t), []);
  }, ({ path }) => new Response(null, { status: path === "/ana" ? 410 : 201 })));

Deno.test("a push service that is busy is asked again, later each time, until the notification is too old", () =>
  withPushes(async (t) => {
    await t.sql`delete from outbound.push_subscriptions where user_id <> ${t.members.ana}`;
    await requestHandoff(t);
    const waits: number[] = [];
    for (const _ of [1, 2, 3]) {
      await t.push();
      const [notice] = await waiting(t);
      waits.push(notice!.in_s);
      await t.sql`update outbound.push_notices set run_at = now()`;
    }

    for (const [index, base] of [2, 10, 30].entries()) {
      assert.ok(waits[index]! > base * 0.7 && waits[index]! < base * 1.25, `${waits}`);
    }
    await t.sql`update outbound.push_notices set expires_at = now() + interval '1 second'`;
    await t.push();
    assert.deepEqual(await waiting(t), []);
    assert.equal(t.received.length, 4);
  }, () => new Response(null, { status: 503 })));

Deno.test("a notification that is ten minutes old is dropped", () =>
  withPushes(async (t) => {
    await requestHandoff(t);
    await t.sql`update outbound.push_notices set expires_at = now()`;

    await t.push();

    assert.deepEqual([t.notified(), await waiting(t)], [[], []]);
  }));

Deno.test("a notification that the push service refuses is not repeated", () =>
  withPushes(async (t) => {
    await requestHandoff(t);

    await t.push();

    assert.deepEqual([t.notified(), await waiting(t)], [["ana", "bo"], []]);
  }, () => new Response(null, { status: 403 })));

Deno.test("a notification that a dead worker has claimed is sent after its lease", () =>
  withPushes(async (t) => {
    await requestHandoff(t);
    await t.sql`select outbound.claim_push_notices('dead', 10, 10, interval '60 seconds', '{}', '{}')`;
    await t.push();
    assert.deepEqual(t.notified(), []);
    await t.sql`update outbound.push_notices set run_at = now()`;

    await t.push();

    assert.deepEqual([t.notified(), await waiting(t)], [["ana", "bo"], []]);
  }));

Deno.test("a push service that does not respond keeps eight requests open, and delays no other service", () =>
  withPushService((fast) => {
    const stuck = Promise.withResolvers<Response>();
    return withPushes(async (t) => {
      const other = await insertCompany(t.sql);
      const member = crypto.randomUUID();
      await insertMember(t.sql, other.id, member, "operator");
      for (let n = 0; n < 40; n++) await subscribe(t, t.companyId, t.members.ana, t.subscription(`slow${n}`));
      await subscribe(t, other.id, member, fast.subscription("fast"));
      await requestHandoff(t);
      await t.sql`select outbound.notify_members(${other.id}, 'chat', gen_random_uuid(), null)`;

      const pushes = start(t);
      await eventually(() =>
        Promise.resolve(assert.ok(fast.received.length === 1 && t.received.length >= 8))
      );
      const open = t.received.length;
      assert.ok(open < 16, `${open} requests are open`);
      stuck.resolve(new Response(null, { status: 201 }));
      await eventually(() => Promise.resolve(assert.equal(t.received.length, 42)));
      await pushes.stop("now");
    }, () => stuck.promise.then(() => new Response(null, { status: 201 })));
  }));
