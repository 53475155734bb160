import type { Sql } from "../../db/connect.ts";
import { confirmTemplate, leaseSubmission, type SubmissionId } from "../../db/template_submissions.ts";
import { AppError } from "../../errors.ts";
import { findPlatformTemplate } from "../../gateways/whatsapp/list_templates.ts";
import { templateFromPlatform, templateRow } from "../template.ts";
import type { Submission, SubmitContext } from "./submission.ts";

/** How long a submission stays locked after its process died. */
export const LEASE_S = 15;

const RENEW_MS = 5000;

/**
 * Renews the lease of a submission until `stop()`. A renewal that fails is ignored: the next one may succeed, and a lease
 * that runs out only lets a repeated request check for itself.
 */
export function keepLeased(sql: Sql, id: SubmissionId): { stop(): Promise<void> } {
  let renewing = Promise.resolve();
  const renew = () => void (renewing = leaseSubmission(sql, id, LEASE_S).catch(() => {}));
  const timer = setInterval(renew, RENEW_MS);
  return {
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}

/**
 * Reads a template that was just stored back from the platform. Its review may have ended, and been reported, before
 * there was a row that the event could change. When the platform cannot be reached now, the next sync does it.
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
