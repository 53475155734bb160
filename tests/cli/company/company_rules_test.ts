import assert from "node:assert/strict";
import { changeRules } from "../../../cli/company/rules.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { runAdmin } from "../run_admin.ts";

Deno.test("company rules shows the defaults, changes what is given and keeps the rest", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const rules = async (...args: string[]) => {
      const { json, stderr } = await runAdmin(["company", "rules", id, ...args, "--json"], {
        env: { DATABASE_URL: url },
      });
      assert.equal(stderr, "");
      return json;
    };
    const defaults = {
      company_id: id,
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
    };

    assert.deepEqual(await rules(), defaults);
    const words = await rules(
      "--opt-out-words",
      "¡No Más!, Basta,",
      "--no-default-words",
      "--confirmation",
      "none",
    );
    const changed = {
      ...defaults,
      opt_out_words: ["no mas", "basta"],
      use_default_words: false,
      opt_out_confirmation: "",
    };
    assert.deepEqual(words, changed);
    assert.deepEqual(
      await rules("--consent-policy", "require", "--keep-notifications", "365", "--keep-messages", "forever"),
      { ...changed, consent_policy: "require", keep_notifications_days: 365 },
    );
    assert.deepEqual(
      await rules(
        "--default-words",
        "--marketing-cooldown",
        "--no-opt-out-stops-calls",
        "--confirmation",
        "default",
        "--keep-notifications",
        "forever",
      ),
      {
        ...changed,
        consent_policy: "require",
        use_default_words: true,
        marketing_cooldown: true,
        opt_out_confirmation: null,
        opt_out_stops_calls: false,
      },
    );
  }));

Deno.test("changeRules() writes what changed into the audit, and nothing when nothing is given", () =>
  withTestDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);

    await changeRules({ sql }, id, {});
    await changeRules({ sql }, id, { consent_policy: "warn", keep_transcripts_days: 30 });

    const [entry, ...others] = await sql`select actor, action, before, after from outbound.audit_log`;
    assert.deepEqual(others, []);
    assert.deepEqual([entry!.actor, entry!.action], ["cli", "contact_rules.updated"]);
    assert.deepEqual([entry!.before.consent_policy, entry!.after.consent_policy], ["off", "warn"]);
    assert.deepEqual([entry!.before.keep_transcripts_days, entry!.after.keep_transcripts_days], [null, 30]);
  }));

Deno.test("company rules refuses an unknown company and values that do not fit", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const refusals: [args: string[], message: RegExp][] = [
      [["--consent-policy", "always"], /Allowed choices are off, warn, require/],
      [["--keep-messages", "0"], /whole number from 1/],
      [["--keep-messages", "never"], /whole number from 1/],
      [["--confirmation", ""], /1 to 1024 characters/],
    ];

    for (const [args, message] of refusals) {
      const { code, stderr } = await runAdmin(["company", "rules", id, ...args], {
        env: { DATABASE_URL: url },
      });
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
    await assert.rejects(changeRules({ sql }, crypto.randomUUID(), { consent_policy: "off" }), {
      code: "not_found",
    });
    await assert.rejects(changeRules({ sql }, crypto.randomUUID(), {}), { code: "not_found" });
  }));
