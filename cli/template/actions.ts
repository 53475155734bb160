import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { settleTemplates } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  findTemplates,
  readTemplate,
  readTemplates,
  setTemplateStatus as setStatusInDatabase,
  type TemplateDetails,
  type TemplateIds,
  type TemplateReference,
  type TemplateSummary,
} from "../../supabase/functions/_shared/db/templates/templates.ts";
import {
  syncCompany,
  type SyncContext,
  type SyncedAccount,
  type SyncProgress,
} from "../../supabase/functions/_shared/templates/sync_accounts.ts";
import type { TemplateComponent } from "../../supabase/functions/_shared/templates/template.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies } from "../errors/refusals.ts";

/**
 * Returns the templates of one company, or of all.
 *
 * @throws {CommandError} `not_found`
 */
export async function listTemplates(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<TemplateSummary[]> {
  if (companyId) await requireCompanies(sql, companyId);
  return await readTemplates(sql, { companyId });
}

/** A template with its parts in the platform's own shape. */
export type ShownTemplate = TemplateDetails & { components: TemplateComponent[] };

/**
 * Returns one template with its parts.
 *
 * @throws {CommandError} `not_found` or `ambiguous`
 */
export async function showTemplate(
  { sql }: { sql: Sql },
  reference: TemplateReference,
): Promise<ShownTemplate> {
  return await readTemplate(sql, await findTemplate(sql, reference)) as ShownTemplate;
}

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

/**
 * Brings our copies of a company's templates in line with the platform.
 *
 * @throws {CommandError} `not_found`, or `bad_value` when the company has no WhatsApp sender
 */
export async function syncTemplates(
  { onProgress, ...context }: SyncContext & { onProgress?: (progress: SyncProgress) => void },
  { companyId }: { companyId: string },
): Promise<SyncedAccount[]> {
  const accounts = await syncCompany(context, companyId, { by: CLI, ...(onProgress && { onProgress }) });
  if (accounts.length > 0) return accounts;
  await requireCompanies(context.sql, companyId);
  throw new CommandError("bad_value", `Company ${companyId} has no WhatsApp sender: use "sender create"`);
}
