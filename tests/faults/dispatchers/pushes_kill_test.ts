import assert from "node:assert/strict";
import { makeVapidKeys } from "../../../supabase/functions/_shared/crypto/vapid.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import { withPushService } from "../../setup/http/push_service.ts";
import { withFaults } from "../with_faults.ts";

Deno.test("a dispatcher is killed while it notifies a device: another one does, at the end of the lease", () => {
  const held = Promise.withResolvers<void>();
  return withPushService((service) =>
    withFaults(async (t) => {
      const { publicKey, privateKey } = await makeVapidKeys();
      const env = {
        OUTBOUND_VAPID_PUBLIC_KEY: publicKey,
        OUTBOUND_VAPID_PRIVATE_KEY: privateKey,
        OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true",
      };
      const userId = crypto.randomUUID();
      await insertMember(t.sql, t.company.id, userId, "operator");
      const { endpoint, keys, language } = service.subscription("device");
      const row = { company_id: t.company.id, user_id: userId, endpoint, ...keys, language };
      await t.sql`insert into outbound.push_subscriptions ${t.sql(row)}`;
      const pool = t.startDispatchers(1, () => ({ env }));
      await pool.ready();
      await t.sql`select outbound.notify_members(${t.company.id}, 'chat', gen_random_uuid(), null)`;
      await eventually(() => assert.equal(service.received.length, 1));

      await pool.killOne();
      held.resolve();
      await t.sql`update outbound.push_notices set run_at = now()`;

      await eventually(() => assert.equal(service.received.length, 2));
      assert.equal(service.received[0]!.headers.get("topic"), service.received[1]!.headers.get("topic"));
      await eventually(async () => assert.equal((await t.sql`select from outbound.push_notices`).length, 0));
      await pool.stop();
    }, { ratePerSecond: 100 }), async (_, count) => {
    if (count === 1) await held.promise;
    return new Response(null, { status: 201 });
  });
});
