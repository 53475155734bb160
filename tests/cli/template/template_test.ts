import assert from "node:assert/strict";
import { listTemplates, setTemplateStatus, showTemplate } from "../../../cli/template/actions.ts";
import { readCampaignSummary } from "../../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import { enqueue, insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { runAdmin } from "../run_admin.ts";
import { insertCompany, insertTemplate } from "../../setup/fixtures/fixtures.ts";

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
      assert.equal((await showTemplate({ sql }, { template: template.id })).status, status);
    }
    assert.equal((await showTemplate({ sql }, { template: other.id })).status, "approved");
  }));

Deno.test("setTemplateStatus() forgets why a template was refused once it is approved", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: company_id } = await insertCompany(sql);
    const template = await insertTemplate(sql, { company_id, waba_id: "1022" }, { status: "rejected" });
    await sql`update outbound.templates set rejected_reason = 'SPAM' where id = ${template.id}`;

    await setTemplateStatus({ sql }, { template: template.id, status: "approved" });

    assert.equal((await showTemplate({ sql }, { template: template.id })).rejected_reason, null);
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
        (await showTemplate({ sql }, { template })).held_campaigns,
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

Deno.test("admin template show prints the review, the parts and what waits", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: company_id } = await insertCompany(sql);
    const template = await insertTemplate(sql, { company_id, waba_id: "1022" }, {
      status: "disabled",
      components: [
        { type: "HEADER", format: "IMAGE" },
        { type: "BODY", text: "Hello {{1}}, all is well." },
        {
          type: "BUTTONS",
          buttons: [{ type: "URL", text: "See", url: "https://a.test/{{1}}" }, {
            type: "QUICK_REPLY",
            text: "Stop",
          }],
        },
      ],
    });
    await sql`update outbound.templates
      set rejected_reason = 'FIRST_PAUSE', quality = 'RED', status_at = '2030-01-31T18:00:00Z'`;

    const { stdout } = await runAdmin(["template", "show", template.id], { env: { DATABASE_URL: url } });

    for (
      const line of [
        ["status", "disabled"],
        ["since", "2030-01-31 18:00Z"],
        ["reason", "FIRST_PAUSE"],
        ["quality", "RED"],
        ["held campaigns", "0"],
        ["header", "image"],
        ["body", "Hello {{1}}, all is well."],
        ["button", "url, See, https://a.test/{{1}}"],
        ["button", "quick reply, Stop"],
      ]
    ) {
      const found = stdout.split("\n").some((each) =>
        each.startsWith(line[0]!) && each.endsWith(` ${line[1]}`)
      );
      assert.ok(found, `${line.join(": ")} in\n${stdout}`);
    }
    assert.match(stdout, /last change +\d{4}-\d\d-\d\d \d\d:\d\dZ/);
  }));

Deno.test("showTemplate() refuses a name several templates have, and takes it with a language", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: company_id } = await insertCompany(sql);
    const owner = { company_id, waba_id: "1022" };
    const english = await insertTemplate(sql, owner, { name: "hello", language: "en" });
    const spanish = await insertTemplate(sql, owner, { name: "hello", language: "es" });

    await assert.rejects(showTemplate({ sql }, { template: "hello" }), (error: Error) => {
      return [english.id, spanish.id].every((id) => error.message.includes(id));
    });
    const shown = await showTemplate({ sql }, { template: "hello", language: "es" });
    assert.equal(shown.template_id, spanish.id);
    assert.equal(shown.components[0]?.type, "BODY");
  }));

Deno.test("listTemplates() keeps to one company; showTemplate() with another company finds nothing", () =>
  withTestDatabase(async ({ sql }) => {
    const [mine, theirs] = [await insertCompany(sql), await insertCompany(sql)];
    const template = await insertTemplate(sql, { company_id: mine.id, waba_id: "1022" });
    await insertTemplate(sql, { company_id: theirs.id, waba_id: "1023" });

    const rows = await listTemplates({ sql }, { companyId: mine.id });

    assert.deepEqual(rows.map((row) => row.template_id), [template.id]);
    await assert.rejects(showTemplate({ sql }, { template: template.id, companyId: theirs.id }), {
      code: "not_found",
    });
  }));
