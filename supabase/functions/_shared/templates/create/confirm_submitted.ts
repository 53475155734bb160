import { confirmTemplate } from "../../db/template_submissions.ts";
import { AppError } from "../../errors.ts";
import { findPlatformTemplate } from "../../gateways/whatsapp/find_platform_template.ts";
import { templateFromPlatform } from "../from_platform.ts";
import { templateRow } from "../template_row.ts";
import type { Submission, SubmitContext } from "./submit_template.ts";

/**
 * Reads back what the platform made of a template just stored: it may have judged it, and told so, before there was
 * anything here that its word could change. When the platform cannot say now, the next sync does it.
 */
export async function confirmSubmitted(
  { sql, whatsapp, timeoutMs }: SubmitContext,
  { companyId, wabaId, token, template: { name, language } }: Submission,
  stored: { templateId: string; version: string },
): Promise<void> {
  try {
    const found = await findPlatformTemplate(whatsapp, { wabaId, token, name, language }, { timeoutMs });
    if (found) await confirmTemplate(sql, { companyId, ...stored }, templateRow(templateFromPlatform(found)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
