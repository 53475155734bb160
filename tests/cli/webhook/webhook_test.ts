import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { withReceiver } from "../../setup/http/receiver.ts";
import { runAdmin } from "../run_admin.ts";

Deno.test("admin webhook: set, test, rotate, deliveries, replay and off", () =>
  withReceiver(({ url: endpoint, received }) =>
    withTestDatabase(async ({ sql, url }) => {
      const { id } = await insertCompany(sql);
      const env = { DATABASE_URL: url, OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" };
      const webhook = (...args: string[]) => runAdmin(["webhook", ...args, "--company", id], { env });

      const set = await webhook(
        "set",
        "--url",
        endpoint,
        "--events",
        "notification.read,notification.failed",
      );
      const refused = await runAdmin(["webhook", "set", "--company", id, "--url", endpoint], {
        env: { DATABASE_URL: url },
      });
      const tested = await webhook("test", "--json");
      const failed = await webhook("test");
      const rotated = await webhook("rotate");
      const deliveries = await webhook("deliveries", "--failed");
      const replayed = await webhook("replay", "--failed", "--since", "2020-01-01T00:00Z", "--json");
      const shown = await webhook("show");
      const off = await webhook("off");

      assert.match(set.stdout, /^whsec_[\w+/]{43}=\n$/);
      assert.deepEqual([refused.code, refused.stderr], [
        1,
        "Invalid --url: it does not begin with https://\n",
      ]);
      assert.deepEqual([tested.code, tested.json.ok, tested.json.response_status], [0, true, 200]);
      assert.deepEqual([failed.code, failed.stderr], [1, "The endpoint responded with HTTP 503\n"]);
      assert.match(failed.stdout, /^body +later$/m);
      assert.match(rotated.stdout, /^whsec_/);
      assert.notEqual(rotated.stdout, set.stdout);
      assert.match(deliveries.stdout, /^evt_[0-9a-f]{32} +webhook\.test +1 +failed +503 /m);
      assert.deepEqual([replayed.json.replayed, received.length], [1, 2]);
      assert.match(shown.stdout, /^events +notification\.read, notification\.failed$/m);
      assert.match(shown.stdout, /^state +on$/m);
      assert.equal(off.stdout, `The webhook of company ${id} is off\n`);
    }), (_, count) => count === 1 ? new Response("ok") : new Response("later", { status: 503 })));

Deno.test("admin webhook refuses unknown events and a replay of nothing", async () => {
  const id = "0193a1b2-0000-4000-8000-0123456789ab";

  const events = await runAdmin(
    ["webhook", "set", "--company", id, "--url", "https://example.com", "--events", "message.sent"],
  );
  const since = await runAdmin(["webhook", "replay", "--company", id, "--failed", "--since", "yesterday"]);

  assert.match(events.stderr, /^Option '--events <list>' .* Expected some of notification\.sent, /);
  assert.match(since.stderr, /Expected a time with its zone/);
});

Deno.test("admin webhook replay wants an event or --failed, not both", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const env = { DATABASE_URL: url };

    for (const args of [[], ["evt_1", "--failed"], ["evt_1", "--since", "2020-01-01T00:00Z"]]) {
      const { code, stderr } = await runAdmin(["webhook", "replay", ...args, "--company", id], { env });
      assert.deepEqual([code, stderr], [1, "Give an event's id, or --failed with or without --since\n"]);
    }
  }));
