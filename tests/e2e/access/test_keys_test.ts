import assert from "node:assert/strict";
import { createKey } from "../../../cli/key/actions.ts";
import { createSender } from "../../../cli/sender/actions.ts";
import { readSendersToCheck } from "../../../supabase/functions/_shared/db/queue/installation.ts";
import { updateCompanySettings } from "../../../supabase/functions/_shared/db/access/companies.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertMember, insertTemplate, insertVoiceSender } from "../../setup/fixtures/fixtures.ts";
import { withReceiver } from "../../setup/http/receiver.ts";
import { testKeyBody, type TestMode, withTestCompany } from "./with_test_company.ts";

/** Each recipient of a campaign by number: its state and the code of its failure. */
async function fatesOf(t: TestMode, key: string, campaign: string): Promise<Record<string, unknown>> {
  const { body } = await t.read(key, `/campaigns/${campaign}/recipients`);
  return Object.fromEntries(
    body.recipients.map(({ number, status, code }: Record<string, string | null>) => [
      number,
      code ? `${status} ${code}` : status,
    ]),
  );
}

/** Counts the requests that the platform's stand-in got. */
async function platformSaw({ sandbox }: TestMode): Promise<number> {
  const { requests } = await sandbox.stats();
  assert.equal(typeof requests, "number");
  return requests;
}

Deno.test("a test key sends nothing to the platform, and the magic numbers decide what happens", () =>
  withTestCompany(async (t) => {
    const before = await platformSaw(t);
    const numbers = ["34600110000", "34600110001", "34600110002", "34600111222"];

    const { status, body } = await t.send(t.testKey, numbers);
    assert.equal(status, 200, JSON.stringify(body));
    await t.whileDispatching(() =>
      eventually(async () =>
        assert.deepEqual(await fatesOf(t, t.testKey, body.inquiry_set_id), {
          "34600110000": "failed 131026",
          "34600110001": "failed 131049",
          "34600110002": "delivered",
          "34600111222": "read",
        })
      )
    );

    assert.equal(await platformSaw(t), before);
    assert.deepEqual(await t.sandbox.messages(), []);
    const { body: price } = await t.read(t.testKey, `/campaigns/${body.inquiry_set_id}/pricing`);
    assert.deepEqual(price.pricing, []);
  }));

Deno.test("what a test key does is not found in the live company, and a live key finds nothing of the test company", () =>
  withTestCompany(async (t) => {
    const { body: test } = await t.send(t.testKey, ["34600111222"]);
    const { body: live } = await t.send(t.key.key, ["34600111222"]);
    const suppressed = await t.http.post("/manage/companies/mine/contacts/suppressions", {
      suppressions: [{ number: "34600111222", channel: "whatsapp", category: "all" }],
    }, { query: { access_key: t.testKey } });
    assert.equal(suppressed.body.added, 1, JSON.stringify(suppressed.body));

    for (const [key, own, other] of [[t.testKey, test, live], [t.key.key, live, test]] as const) {
      const { body } = await t.read(key, "/campaigns");
      assert.deepEqual(body.campaigns.map((each: { campaign_id: string }) => each.campaign_id), [
        own.inquiry_set_id,
      ]);
      assert.equal((await t.read(key, `/campaigns/${other.inquiry_set_id}`)).status, 404);
      assert.equal((await t.read(key, "/settings")).body.test, key === t.testKey);
    }
    const [counted] = await t.sql`
      select sum(notifications)::int as count from outbound.usage where company_id = ${t.company.id}`;
    assert.equal(counted!.count, 1);
    assert.deepEqual((await t.read(t.key.key, "/contacts/suppressions")).body.suppressions, []);
  }));

Deno.test("requests with a test key name the live company's senders and templates", () =>
  withTestCompany(async (t) => {
    for (const recipient_id of [t.sender.id, t.sender.number, "any label"]) {
      const { status, body } = await t.send(t.testKey, ["34600111222"], { recipient_id });
      assert.equal(status, 200, JSON.stringify(body));
    }
    const query = { access_key: t.testKey, template: t.template.id };
    assert.equal((await t.http.get("/notify/template/components", { query })).status, 200);

    // One that the live company got since is there after the owner's next request, or the next sync.
    const added = await insertTemplate(t.sql, t.sender);
    const withAdded = { name_template: added.name, language_template: added.language };
    assert.equal((await t.send(t.testKey, ["34600111222"], withAdded)).status, 404);
    assert.equal((await t.ask("POST", "/test_company")).body.company_id, t.testCompany);
    assert.equal((await t.send(t.testKey, ["34600111222"], withAdded)).status, 200);
    // The platform knows only the first template.
    assert.equal((await t.ask("POST", "/templates/sync")).status, 200);
    const disabled = await t.read(t.testKey, `/templates/${added.id}`);
    assert.equal(
      disabled.body.status ?? disabled.body.template?.status,
      "disabled",
      JSON.stringify(disabled),
    );
  }));

Deno.test("events of a test company say so, and go only to its own webhook", () =>
  withReceiver((live) =>
    withReceiver((test) =>
      withTestCompany(async (t) => {
        await t.ask("PUT", "/webhooks", { url: live.url });
        const set = await t.ask("PUT", "/webhooks", { url: test.url }, { company: t.testCompany });
        assert.equal(set.status, 200, JSON.stringify(set.body));
        t.keepSecret(set.body.secret);

        await t.send(t.testKey, ["34600111222", "34600110000"]);
        await t.ask("POST", "/webhooks/test", undefined, { company: t.testCompany });
        await t.ask("POST", "/webhooks/test");

        await t.whileDispatching(() =>
          eventually(() => {
            const types = test.received.map(({ text }) => JSON.parse(text).type);
            for (const type of ["notification.read", "notification.failed", "campaign.completed"]) {
              assert.ok(types.includes(type), types.join());
            }
          })
        );
        for (const { text } of test.received) {
          assert.deepEqual(
            [JSON.parse(text).data.test, JSON.parse(text).data.company_id],
            [true, t.testCompany],
            text,
          );
        }
        assert.deepEqual(live.received.map(({ text }) => JSON.parse(text).type), ["webhook.test"]);
        assert.ok(!("test" in JSON.parse(live.received[0]!.text).data));
      }, { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } })
    )
  ));

Deno.test("the text of a key decides nothing: with another prefix it is unknown", () =>
  withTestCompany(async (t) => {
    assert.match(t.testKey, /^outbound_test(_\d+)?\./);
    const random = t.testKey.slice(t.testKey.indexOf(".") + 1);
    const cell = /_(\d+)\./.exec(t.testKey)?.[1];
    const asLive = cell ? `outbound_${cell}.${random}` : `outbound_${random}`;
    const liveRandom = t.key.key.slice(t.key.key.indexOf(".") + 1).replace(/^outbound_/, "");
    const asTest = cell ? `outbound_test_${cell}.${liveRandom}` : `outbound_test.${liveRandom}`;
    for (const key of [asLive, asTest]) {
      assert.equal((await t.send(key, ["34600111222"])).status, 401, key.slice(0, 18));
    }
    const { body: rotated } = await t.ask("GET", "/keys/further", undefined, { company: t.testCompany });
    const again = await t.ask("POST", `/keys/further/${rotated.keys[0].key_id}/rotate`, undefined, {
      company: t.testCompany,
    });
    assert.match(again.body.key, /^outbound_test(_\d+)?\./);
    assert.equal((await t.send(t.testKey, ["34600111222"])).status, 401);
    assert.equal((await t.send(again.body.key, ["34600111222"])).status, 200);
  }));

Deno.test("what needs a platform is refused in a test company", () =>
  withTestCompany(async (t) => {
    await insertVoiceSender(t.sql, t.company.id);
    const of = { company: t.testCompany };
    for (
      const permission of ["voice_notifications", "media", "conversations", "calls", "senders", "widgets"]
    ) {
      const { status, body } = await t.ask(
        "POST",
        "/keys/further",
        testKeyBody({ permissions: [permission] }),
        of,
      );
      assert.deepEqual([status, body.details?.field], [400, "permissions[0]"], permission);
    }
    const { body: listed } = await t.ask("GET", "/keys/further", undefined, of);
    const changed = await t.ask(
      "PUT",
      `/keys/further/${listed.keys[0].key_id}`,
      { permissions: ["media"] },
      of,
    );
    assert.equal(changed.status, 400);
    const call = {
      contact: { number: "34600111222" },
      agent_id: "agent_1",
      recipient_id: "34900111222",
      notification_type: "utility",
      campaign_name: "Calls",
    };
    const { status, body } = await t.http.post("/notify/voice", call, { query: { access_key: t.testKey } });
    assert.deepEqual([status, body.message], [
      403,
      "This access key lacks the permission 'voice_notifications'",
    ]);
    assert.equal((await t.ask("POST", "/templates/sync", undefined, of)).status, 400);
    for (
      const [method, path, given] of [
        ["GET", "/members"],
        ["POST", "/members", { email: "eve@example.com", role: "owner" }],
        ["POST", "/leave"],
        ["POST", "/keys/rotate"],
        ["POST", "/keys/publishable", {}],
        ["GET", "/widgets"],
        ["GET", "/agents"],
        ["POST", "/test_company"],
      ] as const
    ) {
      assert.equal((await t.ask(method, path, given, of)).status, 403, `${method} ${path}`);
    }
  }));

Deno.test("the test company has the members of the live one, and each only their own rights", () =>
  withTestCompany(async (t) => {
    const [operator, stranger] = await Promise.all([t.createUser(), t.createUser()]);
    await insertMember(t.sql, t.company.id, operator.id, "operator");
    const tokens = { operator: await t.logIn(operator), stranger: await t.logIn(stranger) };
    const as = (token: string) => ({ company: t.testCompany, token });

    assert.equal((await t.ask("GET", "/campaigns", undefined, as(tokens.operator))).status, 200);
    assert.equal((await t.ask("POST", "/keys/further", testKeyBody(), as(tokens.operator))).status, 403);
    assert.equal((await t.ask("GET", "/campaigns", undefined, as(tokens.stranger))).status, 404);
    assert.equal((await t.ask("POST", "/test_company", undefined, { token: tokens.operator })).status, 403);
    assert.equal((await t.ask("POST", "/test_company", undefined, { token: tokens.stranger })).status, 404);

    await t.sql`delete from outbound.memberships where user_id = ${operator.id}`;
    await eventually(async () =>
      assert.equal((await t.ask("GET", "/campaigns", undefined, as(tokens.operator))).status, 404)
    );
    // A membership that names the test company itself opens nothing.
    await insertMember(t.sql, t.testCompany, stranger.id);
    await eventually(async () =>
      assert.equal((await t.ask("GET", "/campaigns", undefined, as(tokens.stranger))).status, 404)
    );
  }));

Deno.test("lists of a test company say so, those of the live one do not, and a user's companies mark it", () =>
  withTestCompany(async (t) => {
    await t.send(t.testKey, ["34600111222"]);
    const lists = [
      "/campaigns",
      "/deliveries",
      "/contacts/suppressions",
      "/contacts/notifications?number=34600111222",
      "/templates",
      "/usage",
      "/audit",
      "/keys/further",
    ];
    for (const list of lists) {
      const test = await t.ask("GET", list, undefined, { company: t.testCompany });
      const live = await t.ask("GET", list);
      assert.deepEqual([test.status, test.body.test, live.status, live.body.test], [
        200,
        true,
        200,
        undefined,
      ], list);
    }
    assert.equal((await t.read(t.testKey, "/campaigns")).body.test, true);
    assert.ok(!("test" in (await t.read(t.key.key, "/campaigns")).body));

    const { body } = await t.http.get("/manage/companies", {
      headers: { authorization: `Bearer ${t.owner.token}` },
    });

    assert.deepEqual(body.companies, [
      { company_id: t.company.id, name: t.company.name, role: "owner", test: false },
      { company_id: t.testCompany, name: `${t.company.name} (test)`, role: "owner", test: true },
    ]);
  }));

Deno.test("the keys of a test company end with the live company", () =>
  withTestCompany(async (t) => {
    const by = { actor: "cli" } as const;
    await updateCompanySettings(t.sql, t.company.id, { api_access: false }, by);
    await eventually(async () => assert.equal((await t.send(t.testKey, ["34600111222"])).status, 403));
    await updateCompanySettings(t.sql, t.company.id, { api_access: true }, by);
    await eventually(async () => assert.equal((await t.send(t.testKey, ["34600111222"])).status, 200));

    await t.sql`delete from outbound.companies where id = ${t.company.id}`;
    await eventually(async () => assert.equal((await t.send(t.testKey, ["34600111222"])).status, 401));
    const [left] = await t.sql`
      select count(*)::int as count from outbound.notification_facts where company_id = ${t.testCompany}`;
    assert.equal(left!.count, 0);
  }));

Deno.test("the test keys of a company share one small quota", () =>
  withTestCompany(async (t) => {
    const of = { company: t.testCompany };
    const { status, body } = await t.ask("POST", "/keys/further", testKeyBody({ daily_quota: 6 }), of);
    assert.equal(status, 400, JSON.stringify(body));
    const small = await t.ask("POST", "/keys/further", testKeyBody({ daily_quota: 2, rate_limit: 1 }), of);
    assert.equal(small.status, 200, JSON.stringify(small.body));
    const refused = await t.send(small.body.key, ["34600111221", "34600111222", "34600111223"]);
    assert.equal(refused.status, 429, JSON.stringify(refused.body));
    // The live company's ceilings are its own.
    assert.equal((await t.send(t.key.key, ["34600111222"])).status, 200);
  }, { env: { OUTBOUND_TEST_DAILY_QUOTA: "10005" } }));

Deno.test("the operator's commands give a test company no sender and no live key, and doctor checks none of its senders", () =>
  withTestCompany(async (t) => {
    const context = { sql: t.sql, sealer: t.services.sealer };
    const sender = { companyId: t.testCompany, number: "15550009999", platformId: "1", wabaId: "2" };
    await assert.rejects(createSender(context, { ...sender, channel: "whatsapp" }), /is a test company/);
    await assert.rejects(createKey(context, { companyId: t.testCompany }), /is a test company/);
    const checked = await readSendersToCheck(t.sql, 100);
    assert.deepEqual(checked.map(({ company_id }) => company_id), [t.company.id]);
  }));
