import assert from "node:assert/strict";
import { updateCompany } from "../../cli/company/actions.ts";
import { insertKey, insertSender } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { insertWidget } from "../setup/fixtures/widgets.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

function put(t: Manage, path: string, body: unknown) {
  return t.members.owner.ask("PUT", `/companies/${t.company.id}/settings${path}`, body);
}

const SHOP_HOURS = {
  channel: "voice",
  category: "all",
  zone: "recipient",
  windows: { mon: [["09:00", "14:00"]] },
  holidays: ["ES"],
};

Deno.test("GET …/settings shows the defaults of a company that never changed any", () =>
  withManage(async (t) => {
    const { body } = await t.read("/settings");

    assert.deepEqual(body, {
      api_access: true,
      test: false,
      on_unknown: "resend",
      call_gap_s: 60,
      learn_contacts: false,
      record_bodies: false,
      visitor_caps: { voice_sessions: 1000, voice_minutes: 3000, conversations: 5000, stored_mb: 250 },
      ceilings: { daily_quota: 100_000, rate_limit: 600, voice_minutes: 3000, sender_rate: 80 },
      contact_rules: {
        consent_policy: "off",
        opt_out_words: [],
        opt_in_words: [],
        use_default_words: true,
        marketing_cooldown: false,
        opt_out_confirmation: null,
        opt_out_stops_calls: true,
        keep_notifications_days: null,
        keep_messages_days: null,
        keep_transcripts_days: null,
        archive_after_days: null,
      },
      sending_hours: [],
      frequency_caps: [],
      budget: null,
    });
  }));

Deno.test("settings change what is given, with one audit row per change and none where nothing changes", () =>
  withManage(async (t) => {
    const settings = { on_unknown: "hold", call_gap_s: 300, visitor_caps: { voice_minutes: 30 } };
    const rules = { opt_out_words: ["¡No más!", "no mas"], keep_messages_days: 30, opt_out_confirmation: "" };
    const hours = [{ channel: "any", category: "marketing", zone: "recipient", preset: "ES" }];
    const caps = [{ channel: "any", max: 3, days: 7 }];

    for (let repeat = 0; repeat < 2; repeat++) {
      assert.equal((await put(t, "", settings)).body.call_gap_s, 300);
      assert.deepEqual((await put(t, "/contact_rules", rules)).body.opt_out_words, ["no mas"]);
      assert.deepEqual((await put(t, "/sending_hours", { sending_hours: hours })).body.sending_hours, hours);
      assert.deepEqual((await put(t, "/frequency_caps", { frequency_caps: caps })).body.sending_hours, hours);
    }

    const { body } = await t.read("/settings");
    assert.deepEqual([body.on_unknown, body.visitor_caps.voice_minutes, body.visitor_caps.stored_mb], [
      "hold",
      30,
      250,
    ]);
    assert.deepEqual([body.contact_rules.keep_messages_days, body.contact_rules.consent_policy], [30, "off"]);
    assert.deepEqual([body.sending_hours, body.frequency_caps], [hours, caps]);
    assert.deepEqual(
      (await auditOf(t)).map(({ actor, action, after }) => [actor, action, after]),
      [
        { frequency_caps: caps },
        { sending_hours: hours },
        { opt_out_words: ["no mas"], opt_out_confirmation: "", keep_messages_days: 30 },
        { on_unknown: "hold", call_gap_s: 300, max_voice_minutes_per_day: 30 },
      ].map((after) => [
        `user:${t.members.owner.userId}`,
        "on_unknown" in after ? "company.updated" : "contact_rules.updated",
        after,
      ]),
    );
    await put(t, "/contact_rules", { keep_messages_days: null });
    await put(t, "/sending_hours", { sending_hours: [] });
    const after = (await t.read("/settings")).body;
    assert.deepEqual([after.contact_rules.keep_messages_days, after.sending_hours], [null, []]);
  }));

Deno.test("settings refuse what cannot be, and store nothing", () =>
  withManage(async (t) => {
    const refusals: [path: string, body: JsonObject, field: string][] = [
      ["", { on_unknown: "drop" }, "on_unknown"],
      ["", { call_gap_s: 86_401 }, "call_gap_s"],
      ["", { api_access: false }, "api_access"],
      ["", { visitor_caps: { voice_minutes: 1.5 } }, "visitor_caps.voice_minutes"],
      ["/contact_rules", { consent_policy: "always" }, "consent_policy"],
      ["/contact_rules", { keep_messages_days: 0 }, "keep_messages_days"],
      ["/contact_rules", { opt_out_words: ["!"] }, "opt_out_words[0]"],
      ["/contact_rules", { opt_out_words: Array(101).fill("x") }, "opt_out_words"],
      ["/contact_rules", { opt_out_confirmation: "x".repeat(1025) }, "opt_out_confirmation"],
      [
        "/sending_hours",
        { sending_hours: [{ ...SHOP_HOURS, holidays: ["XX"] }] },
        "sending_hours[0].holidays",
      ],
      ["/sending_hours", { sending_hours: [SHOP_HOURS, SHOP_HOURS] }, "sending_hours[1]"],
      ["/frequency_caps", { frequency_caps: [{ channel: "any", max: 0, days: 7 }] }, "frequency_caps[0].max"],
      [
        "/frequency_caps",
        { frequency_caps: Array(2).fill({ channel: "any", max: 1, days: 7 }) },
        "frequency_caps[1]",
      ],
    ];
    for (const [path, body, field] of refusals) {
      const answer = await put(t, path, body);
      assert.deepEqual([answer.status, answer.body.details?.field], [400, field], JSON.stringify(body));
    }
    assert.deepEqual(await auditOf(t), []);
  }));

Deno.test("rules that another version wrote are shown as null and can be replaced", () =>
  withManage(async (t) => {
    await t.sql`insert into outbound.contact_rules (company_id, sending_hours)
      values (${t.company.id}, '[{"later": true}]')`;

    assert.equal((await t.read("/settings")).body.sending_hours, null);
    assert.deepEqual((await put(t, "/sending_hours", { sending_hours: [] })).body.sending_hours, []);
  }));

Deno.test("members raise limits up to the company's ceilings, which the command line sets and may pass", () =>
  withManage(async (t) => {
    const companyId = t.company.id;
    await insertKey(t.sql, companyId);
    const sender = await insertSender(t.sql, companyId);
    await t.sql`update outbound.senders set rate_per_second = 10 where id = ${sender.id}`;
    await t
      .sql`update outbound.api_keys set rate_limit = 10, daily_quota = 10 where company_id = ${companyId}`;
    await put(t, "", { visitor_caps: { voice_minutes: 10 } });
    const owner = (path: string, body: unknown) =>
      t.members.owner.ask("PUT", `/companies/${companyId}${path}`, body);
    const setters: [string, (value: number) => Promise<{ status: number; body: JsonObject }>][] = [
      ["daily_quota", (value) => owner("/keys", { daily_quota: value })],
      ["rate_limit", (value) => owner("/keys", { rate_limit: value })],
      [
        "visitor_caps.voice_minutes",
        (value) => owner("/settings", { visitor_caps: { voice_minutes: value } }),
      ],
      ["rate_per_second", (value) => owner(`/senders/${sender.id}/rate`, { rate_per_second: value })],
    ];
    const ceilings = { daily_quota: 50, rate_limit: 50, voice_minutes: 50, sender_rate: 50 };
    await updateCompany(t, { companyId, ceilings });

    for (const [field, set] of setters) {
      const refused = await set(51);
      assert.deepEqual([refused.status, refused.body.details], [400, {
        field,
        provided: 51,
        expected_format: "at most 50, the ceiling that the operator of this service set",
      }], field);
      assert.equal((await set(50)).status, 200, field);
    }
    await t.sql`update outbound.api_keys set rate_limit = 900 where company_id = ${companyId}`;
    const lowered = [await owner("/keys", { rate_limit: 900 }), await owner("/keys", { rate_limit: 899 })];
    assert.deepEqual(lowered.map(({ status }) => status), [200, 200]);
    assert.equal((await owner("/keys", { rate_limit: 900 })).status, 400);
  }));

/** Settings that carry an ETag: where they are read and changed, and two changes of them. */
const DOCUMENTS = [
  ["/settings", "/settings", [{ call_gap_s: 61 }, { call_gap_s: 62 }]],
  ["/settings", "/settings/contact_rules", [{ opt_out_words: ["a"] }, { opt_out_words: ["b"] }]],
  ["/settings", "/settings/sending_hours", [
    { sending_hours: [SHOP_HOURS] },
    { sending_hours: [{ ...SHOP_HOURS, category: "marketing" }] },
  ]],
  ["/settings", "/settings/frequency_caps", [
    { frequency_caps: [{ channel: "any", max: 1, days: 1 }] },
    { frequency_caps: [{ channel: "any", max: 9, days: 30 }] },
  ]],
  ["/webhooks", "/webhooks", [{ url: "https://a.example/" }, { url: "https://b.example/" }]],
  ["/keys", "/keys", [{ rate_limit: 7 }, { rate_limit: 8 }]],
  ["/widgets/{widget_id}", "/widgets/{widget_id}", [{ name: "A" }, { name: "B" }]],
] as const;

for (const [read, path, [first, second]] of DOCUMENTS) {
  Deno.test(`PUT …${path} changes only what its caller has read`, () =>
    withManage(async (t) => {
      await insertKey(t.sql, t.company.id);
      const widget = await insertWidget(t.sql, t.company.id);
      const below = (text: string) => `/companies/${t.company.id}${text.replace("{widget_id}", widget.id)}`;
      const etag = async () => (await t.members.viewer.ask("GET", below(read))).headers.get("etag")!;
      const change = (body: unknown, ifMatch: string) =>
        t.members.owner.ask("PUT", below(path), body, {}, ifMatch);
      const seen = await etag();
      assert.match(seen, /^"[0-9a-f]{32}"$/);
      assert.equal(await etag(), seen);

      assert.deepEqual(await refusalOf(change(first, "")), [428, "precondition_required"]);
      assert.equal(await etag(), seen);
      const done = await change(first, seen);
      assert.equal(done.status, 200);
      assert.equal(done.headers.get("etag"), await etag());
      assert.notEqual(await etag(), seen);
      assert.deepEqual(await refusalOf(change(second, seen)), [412, "precondition_failed"]);
      assert.deepEqual(await refusalOf(change(second, "x")), [412, "precondition_failed"]);
      assert.equal(done.headers.get("etag"), await etag());

      // A proxy that compresses marks it as weak; a client may name several.
      assert.equal((await change(second, `"other", W/${await etag()}`)).status, 200);
      assert.equal((await change(first, "*")).status, 200);
    }));

  Deno.test(`of two members who change …${path} at once, one is refused`, () =>
    withManage(async (t) => {
      await insertKey(t.sql, t.company.id);
      const widget = await insertWidget(t.sql, t.company.id);
      const below = (text: string) => `/companies/${t.company.id}${text.replace("{widget_id}", widget.id)}`;
      const { headers } = await t.members.owner.ask("GET", below(read));

      const statuses = (await Promise.all([first, second].map((body) =>
        t.members.owner.ask("PUT", below(path), body, {}, headers.get("etag")!)
      ))).map(({ status }) =>
        status
      );

      assert.deepEqual(statuses.sort(), [200, 412]);
    }));
}

async function refusalOf(answer: Promise<{ status: number; body: JsonObject }>): Promise<unknown[]> {
  const { status, body } = await answer;
  return [status, body.error];
}

Deno.test("archive_after_days needs a media store, and 30 days", () =>
  withTempFolder(async (folder) => {
    const set = (t: Manage, archive_after_days: number | null) =>
      put(t, "/contact_rules", { archive_after_days });
    await withManage(async (t) => {
      assert.equal((await set(t, 90)).body.archive_after_days, 90);
      assert.equal((await set(t, 29)).status, 400);
    }, { env: { OUTBOUND_MEDIA_FOLDER: folder } });
    await withManage(async (t) => {
      assert.equal((await set(t, 90)).status, 502);
      assert.equal((await set(t, null)).body.archive_after_days, null);
    });
  }));
