import assert from "node:assert/strict";
import {
  addFrequencyCap,
  removeHoursRules,
  sendingRulesOf,
  setHoursRule,
} from "../../../cli/company/sending_rules.ts";
import { readWindows } from "../../../supabase/functions/_shared/scheduling/week_windows.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { runAdmin } from "../run_admin.ts";

Deno.test("admin company hours: nothing, a preset, hours of one's own, check, and off", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const hours = (...args: string[]) =>
      runAdmin(["company", "hours", id, ...args], { env: { DATABASE_URL: url } });

    const none = await hours();
    const preset = await hours("--preset", "es", "--channel", "voice", "--category", "all", "--json");
    const own = await hours(
      ...["--windows", "mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00", "--zone", "campaign"],
      ...["--holidays", "ES,US-FL"],
    );
    const check = await hours("--check", "34600111222", "--at", "2027-01-09T15:00:00Z", "--json");
    const shown = await hours("--check", "34600111222", "--at", "2027-01-09T15:00:00Z");
    const off = await hours("--off", "--channel", "voice", "--json");
    const allOff = await hours("--off");

    assert.equal(none.stdout, "No sending hours: messages and calls leave at any time\n");
    assert.deepEqual(preset.json.sending_hours, [
      { channel: "voice", category: "all", zone: "recipient", preset: "ES" },
    ]);
    assert.match(own.stdout, /^voice +all +recipient +preset ES +as the preset$/m);
    assert.match(
      own.stdout,
      /^any +marketing +campaign +mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00 +ES, US-FL$/m,
    );
    // A Saturday: calls wait for the preset, marketing for both rules.
    assert.deepEqual(check.json, {
      company_id: id,
      at: "2027-01-09T15:00:00.000Z",
      countries: ["ES"],
      zones: ["Africa/Ceuta", "Atlantic/Canary", "Europe/Madrid"],
      results: [
        {
          channel: "whatsapp",
          category: "marketing",
          leaves_at: "2027-01-11T09:00:00.000Z",
          waits: true,
          by: "recipient",
        },
        {
          channel: "whatsapp",
          category: "other",
          leaves_at: "2027-01-09T15:00:00.000Z",
          waits: false,
          by: "none",
        },
        {
          channel: "voice",
          category: "marketing",
          leaves_at: "2027-01-11T09:00:00.000Z",
          waits: true,
          by: "recipient",
        },
        {
          channel: "voice",
          category: "other",
          leaves_at: "2027-01-11T09:00:00.000Z",
          waits: true,
          by: "recipient",
        },
      ],
    });
    assert.match(
      shown.stdout,
      /^whatsapp +other +2027-01-09 15:00Z +Sat 16:00 Africa\/Ceuta +no +no rule is about it$/m,
    );
    assert.deepEqual((off.json.sending_hours as unknown[]).length, 1);
    assert.equal(allOff.stdout, none.stdout);
  }));

Deno.test("admin company hours --list-presets needs no company and names the sources", () =>
  withTestDatabase(async ({ url }) => {
    const env = { DATABASE_URL: url };
    const { json } = await runAdmin(["company", "hours", "--list-presets", "--json"], { env });
    const table = await runAdmin(["company", "hours", "--list-presets"], { env });

    const presets = json.presets as { country: string; source: string }[];
    assert.ok(presets.length > 13 && presets.every(({ source }) => source.length > 5));
    assert.match(table.stdout, /^ES +any +mon-fri 09:00-21:00 +closed +law +sales calls/m);
    assert.match(table.stdout, /not legal advice/);
  }));

const REFUSED: [args: string[], message: RegExp][] = [
  [["--preset", "XX"], /Expected recipient or one of AU, BR/],
  [["--windows", "mon 21:00-09:00"], /Expected windows such as/],
  [["--windows", "mon 09:00-21:00", "--holidays", "Spain"], /Expected up to 10 of ES, US-FL/],
  [["--windows", "mon 09:00-21:00", "--holidays", "XX"], /^No holidays are known for XX/],
  [["--windows", "mon 09:00-21:00", "--preset", "ES"], /cannot be used with/],
  [["--channel", "voice"], /^Nothing to change/],
  [["--check", "+34600111222"], /Expected a number such as 34600111222/],
  [["--check", "34600111222", "--timezone", "Mars/Olympus"], /^There is no time zone Mars\/Olympus/],
];

Deno.test("admin company hours and caps refuse what cannot be, and a company that does not exist", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const env = { DATABASE_URL: url };
    for (const [args, message] of REFUSED) {
      const { code, stderr } = await runAdmin(["company", "hours", id, ...args], { env });
      assert.deepEqual([code, message.test(stderr)], [1, true], `${args}: ${stderr}`);
    }
    for (
      const cap of [
        "",
        "3",
        "3 per week",
        "0 per 7 days",
        "1001 per 7 days",
        "3 per 31 days",
        "3 per 7 days sms",
      ]
    ) {
      const { code, stderr } = await runAdmin(["company", "caps", id, "--add", cap], { env });
      assert.deepEqual([code, /Expected a cap such as/.test(stderr)], [1, true], `${cap}: ${stderr}`);
    }
    const unknown = crypto.randomUUID();
    for (
      const args of [["hours", unknown], ["hours", unknown, "--preset", "ES"], ["caps", unknown, "--off"]]
    ) {
      const { stderr } = await runAdmin(["company", ...args], { env });
      assert.equal(stderr, `No company with id ${unknown}\n`, args.join(" "));
    }
  }));

Deno.test("admin company caps: none, add, replace and off", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const caps = (...args: string[]) =>
      runAdmin(["company", "caps", id, ...args], { env: { DATABASE_URL: url } });

    const none = await caps();
    await caps("--add", "3 per 7 days");
    await caps("--add", "1 per day voice");
    const replaced = await caps("--add", "4 per 7 days", "--json");
    const shown = await caps();
    const off = await caps("--off", "--json");

    assert.equal(none.stdout, "No caps: a person may get any number of marketing messages\n");
    assert.deepEqual(replaced.json.frequency_caps, [
      { channel: "voice", max: 1, days: 1 },
      { channel: "any", max: 4, days: 7 },
    ]);
    assert.match(shown.stdout, /^any +4 +7$/m);
    assert.deepEqual(off.json, { company_id: id, frequency_caps: [] });
  }));

Deno.test("changes of sending rules are audited, with what was before and after", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const windows = readWindows("mon 09:00-21:00")!;
    const rule = { channel: "any", category: "all", zone: "recipient", windows, holidays: null } as const;
    const cap = { channel: "any", max: 3, days: 7 } as const;

    await setHoursRule({ sql }, { companyId, rule });
    await addFrequencyCap({ sql }, { companyId, cap });
    await removeHoursRules({ sql }, { companyId });

    const audited = await sql`
      select actor, action, subject, before, after from outbound.audit_log
      where company_id = ${companyId} order by at, id`;
    const entry = { actor: "cli", action: "contact_rules.updated", subject: null };
    assert.deepEqual(audited.map((row) => ({ ...row })), [
      { ...entry, before: { sending_hours: [] }, after: { sending_hours: [rule] } },
      { ...entry, before: { frequency_caps: [] }, after: { frequency_caps: [cap] } },
      { ...entry, before: { sending_hours: [rule] }, after: { sending_hours: [] } },
    ]);
    assert.deepEqual(await sendingRulesOf({ sql }, companyId), { hours: [], caps: [cap] });
  }));

Deno.test("changes of sending rules at once all count", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);

    await Promise.all([1, 2, 3, 4, 5].map((days) =>
      addFrequencyCap({ sql }, { companyId, cap: { channel: "any", max: 1, days } })
    ));

    const { caps } = await sendingRulesOf({ sql }, companyId);
    assert.deepEqual(
      caps.map(({ days }) =>
        days
      ).toSorted(),
      [1, 2, 3, 4, 5],
    );
  }));
