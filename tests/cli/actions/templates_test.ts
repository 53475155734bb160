import assert from "node:assert/strict";
import { listTemplates } from "../../../cli/actions/list_templates.ts";
import { setTemplateStatus } from "../../../cli/actions/set_template_status.ts";
import { showTemplate } from "../../../cli/actions/show_template.ts";
import { withTestDatabase } from "../../setup/database.ts";
import { insertCompany, insertTemplate } from "../../setup/fixtures.ts";

Deno.test("setTemplateStatus() takes our id, the platform's id, or the name", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: company_id } = await insertCompany(sql);
    const template = await insertTemplate(sql, { company_id, waba_id: "1022" }, {
      provider_template_id: "77",
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

    assert.equal((await showTemplate({ sql }, { template: template.id })).rejectedReason, null);
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
    assert.equal(shown.templateId, spanish.id);
    assert.equal(shown.components[0]?.type, "BODY");
  }));

Deno.test("listTemplates() keeps to one company; showTemplate() with another company finds nothing", () =>
  withTestDatabase(async ({ sql }) => {
    const [mine, theirs] = [await insertCompany(sql), await insertCompany(sql)];
    const template = await insertTemplate(sql, { company_id: mine.id, waba_id: "1022" });
    await insertTemplate(sql, { company_id: theirs.id, waba_id: "1023" });

    const rows = await listTemplates({ sql }, { companyId: mine.id });

    assert.deepEqual(rows.map((row) => row.templateId), [template.id]);
    await assert.rejects(showTemplate({ sql }, { template: template.id, companyId: theirs.id }), {
      code: "not_found",
    });
  }));
