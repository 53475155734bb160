import assert from "node:assert/strict";
import type postgres from "postgres";
import { storeRates } from "../../../supabase/functions/_shared/db/campaigns/rates.ts";
import { suppress } from "../../setup/fixtures/contacts.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  insertAgent,
  insertCompany,
  insertKey,
  insertSender,
  insertTemplate,
  insertVoiceSender,
} from "../../setup/fixtures/fixtures.ts";
import { runAdminProcess } from "../run_admin.ts";

interface Checks {
  sql: postgres.Sql;
  companyId: string;
  template: string;
  /** Runs `campaign check` with these lines as the file. */
  check(lines: string[], ...args: string[]): ReturnType<typeof runAdminProcess>;
}

async function withChecks(fn: (checks: Checks) => Promise<void>): Promise<void> {
  await withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    await insertKey(sql, companyId);
    const template = await insertTemplate(sql, await insertSender(sql, companyId));
    await fn({
      sql,
      companyId,
      template: template.name,
      check: (lines, ...args) =>
        runAdminProcess(["campaign", "check", "-", "--company", companyId, ...args], {
          env: { DATABASE_URL: url },
          stdin: lines.join("\n"),
        }),
    });
  });
}

const VALUES = ["--language", "en", "--value", "body_text_0={{name}}", "--value", "body_text_1={{order}}"];

Deno.test("campaign check judges the contacts of a long file, stores nothing and does not count against the key's rate", () =>
  withChecks(async ({ sql, companyId, template, check }) => {
    await suppress(sql, companyId, { number: "34600000007", category: "all" });
    await storeRates(sql, [
      { market: "ES", category: "utility", currency: "EUR", rate: "0.0123", effective_from: "2026-01-01" },
    ]);
    const number = (n: number) => `34600${String(n).padStart(6, "0")}`;
    const lines = Array.from({ length: 250 }, (_, n) => `${number(n)},Ana,A-${n}`);
    const file = ["Phone,name,order", ...lines, "34600000003,Ana again,A-1", "+34 600,Plus,A-2"];

    const checked = await check(
      file,
      "--template",
      template,
      ...VALUES,
      "--map",
      "number=Phone",
      "--country",
      "ES",
      "--json",
    );

    assert.equal(checked.code, 1);
    assert.match(checked.stderr, /^1 contacts are invalid/);
    const { problems, ...totals } = checked.json as { problems: Record<string, unknown>[] };
    const [sender] = await sql`select number from outbound.senders where company_id = ${companyId}`;
    assert.deepEqual(totals, {
      ...{ total: 252, ok: 249, invalid: 1, skipped: 1, held: 0, duplicate: 1, warnings: [] },
      ...{ country: "ES", countries: [{ country: "ES", count: 250, is_new: false }] },
      ...{ languages: [{ language: null, count: 250 }], zones: [] },
      senders: [{ number: sender!.number, count: 250, limit: null, quality: null }],
      estimated_cost: { amount: "3.075", currency: "EUR", complete: true },
      not_checked: ["reachability", "platform_limits", "template_pacing", "media_files", "rules_when_sent"],
    });
    assert.deepEqual(problems.map(({ line, status, code }) => [line, status, code]), [
      [9, "skipped", "recipient_opted_out"],
      [252, "duplicate", "duplicate_recipient"],
      [253, "invalid", "number_is_invalid"],
    ]);
    const [used] = await sql`
      select (select count(*)::int from outbound.campaigns) as campaigns,
        (select coalesce(sum(requests), 0)::int from outbound.usage) as requests`;
    assert.deepEqual({ ...used }, { campaigns: 0, requests: 0 });
  }));

Deno.test("campaign check prints an aligned table of the contacts that are not ok, then totals", () =>
  withChecks(async ({ template, check }) => {
    const file = ["number,name,order,nmae", "34600111222,Ana,A-1,x", "1,No,A-2,x", "2,No,A-3,x"];

    const { code, stdout } = await check(file, "--template", template, ...VALUES, "--problems", "1");

    assert.equal(code, 1);
    assert.match(stdout, /^LINE +RECIPIENT +VERDICT +CODE +REASON\n +3 +1 +invalid +number_is_invalid/);
    assert.match(stdout, /… and 1 more/);
    assert.match(stdout, /contacts +3\nok +1\ninvalid +2\n/);
    assert.match(stdout, /estimated cost +unknown \(The operator has imported no rate card\)/);
  }));

Deno.test("campaign check judges calls, and ends with 0 where nothing is invalid", () =>
  withChecks(async ({ sql, companyId, check }) => {
    await insertVoiceSender(sql, companyId);
    const agent = await insertAgent(sql, companyId);

    const { code, json } = await check(
      ["number", "34600111222"],
      "--agent",
      agent.id,
      "--type",
      "transactional",
      "--json",
    );

    assert.deepEqual([code, json.ok, json.total], [0, 1, 1]);
  }));

Deno.test("campaign check says what is wrong with the file or with the request", () =>
  withChecks(async ({ template, check }) => {
    const file = ["number,name", "34600111222,Ana"];
    const cases: [string[], string[], RegExp][] = [
      [file, ["--language", "en"], /Give --template for messages, or --agent for calls/],
      [file, ["--template", template], /Give the template's --language/],
      [file, ["--template", "nothing", "--language", "en"], /no template 'nothing'/],
      [file, ["--template", template, "--language", "en"], /missing: body_text_0, body_text_1/],
      [["phone", "1"], ["--template", template, ...VALUES], /--map number=COLUMN. The file has phone/],
      [file, ["--template", template, ...VALUES, "--map", "number=Tel"], /no column 'Tel'/],
      [["number,name"], ["--template", template, ...VALUES], /no rows/],
      [['number\n"1'], ["--template", template, ...VALUES], /a quote is not closed/],
      [["34600111222,Ana"], ["--template", template, ...VALUES], /holds a phone number/],
      [file, ["--template", template, ...VALUES, "--country", "Spain"], /two letters/],
    ];
    for (const [lines, args, message] of cases) {
      const { code, stderr } = await check(lines, ...args);
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
  }));
