import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { settleTemplates } from "../../supabase/functions/_shared/db/dispatch_queue.ts";
import { findTemplate, type TemplateReference } from "./find_template.ts";

/** The states an operator may give; only an approved template can be sent. */
export const TEMPLATE_STATUSES = ["pending", "approved", "rejected", "disabled"] as const;

export type TemplateStatus = typeof TEMPLATE_STATUSES[number];

/**
 * Overrules our copy of a template's state until the platform's next word on it: a webhook or a sync. Its campaigns are
 * held, or let go, at once.
 *
 * @throws {CommandError} `not_found` or `ambiguous`
 */
export async function setTemplateStatus(
  { sql }: { sql: Sql },
  { status, ...reference }: TemplateReference & { status: TemplateStatus },
): Promise<{ templateId: string; status: TemplateStatus }> {
  const { companyId, templateId } = await findTemplate(sql, reference);
  await sql`select outbound.set_template_status(${companyId}, ${templateId}, ${status})`;
  await settleTemplates(sql);
  return { templateId, status };
}
