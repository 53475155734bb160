import assert from "node:assert/strict";
import { setTemplateStatus } from "../../../cli/template/actions.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { readCampaignSummary } from "../../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import { enqueue, insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { runAdmin } from "../run_admin.ts";
import { insertCompany, insertTemplate } from "../../setup/fixtures/fixtures.ts";

async function readTemplate(sql: Sql, id: string) {
  const [row] = await sql`
    select status, rejected_reason, (
      select count(*)::int from outbound.campaigns as g
      where g.company_id = t.company_id and g.template_id = t.id and g.held_reason is not null
    ) as held_campaigns
    from outbound.templates as t where id = ${id}`;
  return row!;
}

Deno.test("setTemplateStatus() takes our id, the platform's id, or the name", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: company_id } = await insertCompany(sql);
    const template = await insertTemplate(sql, { company_id, waba_id: "1022" }, {
      platform_template_id: "77",
    });
    const other = await insertTemplate(sql, { company_id, waba_id: "1022" });

    for (
      const [reference, status] of [[template.id, "disabled"], ["77", "pending"], [
        template.name,
        "rejected",
      ]] as const
    ) {
      const changed = await setTemplateStatus({ sql }, { template: reference, status });

      assert.deepEqual(changed, { templateId: template.id, status });
      assert.equal((await readTemplate(sql, template.id)).status, status);
    }
    assert.equal((await readTemplate(sql, other.id)).status, "approved");
  }));

Deno.test("setTemplateStatus() forgets why a template was refused once it is approved", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: company_id } = await insertCompany(sql);
    const template = await insertTemplate(sql, { company_id, waba_id: "1022" }, { status: "rejected" });
    await sql`update outbound.templates set rejected_reason = 'SPAM' where id = ${template.id}`;

    await setTemplateStatus({ sql }, { template: template.id, status: "approved" });

    assert.equal((await readTemplate(sql, template.id)).rejected_reason, null);
  }));

Deno.test("setTemplateStatus() holds the template's campaigns, and releases them", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 2 });
    const template = company.template.id;
    const set = async (status: "disabled" | "approved") => {
      await setTemplateStatus({ sql }, { template, status });
      const { status: campaign, paused_reason: pausedReason, paused_detail: pausedDetail } =
        (await readCampaignSummary(sql, { campaignId }))!;
      return [
        campaign,
        pausedReason,
        pausedDetail,
        (await readTemplate(sql, template)).held_campaigns,
      ];
    };

    assert.deepEqual(await set("disabled"), [
      "paused",
      "template_not_approved",
      `The template ${company.template.name} is disabled, not approved`,
      1,
    ]);
    assert.deepEqual(await set("approved"), ["sending", null, null, 0]);
  }));

Deno.test("admin template set-status refuses a name several templates have, and takes it with a language", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: company_id } = await insertCompany(sql);
    const owner = { company_id, waba_id: "1022" };
    const english = await insertTemplate(sql, owner, { name: "hello", language: "en" });
    const spanish = await insertTemplate(sql, owner, { name: "hello", language: "es" });
    const set = (...args: string[]) =>
      runAdmin(["template", "set-status", "hello", "disabled", ...args, "--json"], {
        env: { DATABASE_URL: url },
      });

    const several = await set();
    const one = await set("--language", "es");
    const elsewhere = await set("--language", "en", "--company", (await insertCompany(sql)).id);

    const { code, message } = several.json.error as { code: string; message: string };
    assert.equal(code, "ambiguous");
    for (const { id } of [english, spanish]) assert.ok(message.includes(id));
    assert.deepEqual(one.json, { template_id: spanish.id, status: "disabled" });
    assert.equal((elsewhere.json.error as { code: string }).code, "not_found");
    assert.equal((await readTemplate(sql, english.id)).status, "approved");
  }));
