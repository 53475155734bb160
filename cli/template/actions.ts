import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { settleTemplates } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  findTemplates,
  setTemplateStatus as setStatusInDatabase,
  type TemplateIds,
  type TemplateReference,
} from "../../supabase/functions/_shared/db/templates/templates.ts";
import { CommandError } from "../errors/command_error.ts";

/** The states an operator may set; only an approved template can be sent. */
export const TEMPLATE_STATUSES = ["pending", "approved", "rejected", "disabled"] as const;

export type TemplateStatus = typeof TEMPLATE_STATUSES[number];

/**
 * Sets our copy of a template's state until the platform reports on it again, by a webhook or a sync. Its campaigns are
 * held, or released, at once.
 *
 * @throws {CommandError} `not_found` or `ambiguous`
 */
export async function setTemplateStatus(
  { sql }: { sql: Sql },
  { status, ...reference }: TemplateReference & { status: TemplateStatus },
): Promise<{ templateId: string; status: TemplateStatus }> {
  const template = await findTemplate(sql, reference);
  await setStatusInDatabase(sql, template, status, CLI);
  await settleTemplates(sql);
  return { templateId: template.templateId, status };
}

/** Returns the one template that a reference matches. */
async function findTemplate(sql: Sql, reference: TemplateReference): Promise<TemplateIds> {
  const { template } = reference;
  const [found, ...others] = await findTemplates(sql, reference);
  if (!found) throw new CommandError("not_found", `No template with id or name ${template}`);
  if (others.length > 0) {
    const choices = [found, ...others].map((row) =>
      `${row.template_id} (${row.language}, company ${row.company_id})`
    );
    throw new CommandError("ambiguous", `${template} names several templates: ${choices.join("; ")}`);
  }
  return { companyId: found.company_id, templateId: found.template_id };
}
