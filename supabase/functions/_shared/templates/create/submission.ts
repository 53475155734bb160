import type { KeyedSlots } from "../../concurrency/keyed_slots.ts";
import type { Sql } from "../../db/driver/connect.ts";
import type { Actor } from "../../db/access/audit.ts";
import {
  confirmTemplate,
  leaseSubmission,
  type SubmissionId,
  type SubmissionKey,
} from "../../db/templates/template_submissions.ts";
import type { MediaStore } from "../../gateways/media_store/media_store.ts";
import type { WhatsappConfig } from "../../gateways/whatsapp/errors.ts";
import type { NewTemplate } from "./read_template_request.ts";
import { AppError } from "../../errors.ts";
import { findPlatformTemplate } from "../../gateways/whatsapp/list_templates.ts";
import { templateFromPlatform, templateRow } from "../template.ts";

/** The services that submitting uses. */
export interface SubmitContext {
  sql: Sql;
  whatsapp: WhatsappConfig;
  /** How long each of the platform's responses may take. */
  timeoutMs: number;
  /** Whether a sample may come from this machine, from private networks, and without TLS. */
  allowPrivate: boolean;
  /** Where the company's own files are; null where none is set up. */
  mediaStore: MediaStore | null;
  /** The slots for uploads of this process. */
  sampleUploads: KeyedSlots;
}

/** A template to be submitted for review, by whom and where. */
export interface Submission {
  companyId: string;
  wabaId: string;
  /** The one that opens the business account. */
  token: string;
  template: NewTemplate;
  idempotency: SubmissionKey | null;
  /** For the audit; null where the platform had the template already. */
  by: Actor | null;
}

/** A template that was submitted. */
export interface Submitted {
  templateId: string | null;
  /** The body of the response, with the template's id. */
  response: unknown;
  /** Whether it is the response to an earlier request. */
  replayed: boolean;
  /** Reads the template back, in case the platform reviewed it at once. Never fails. */
  confirm(): Promise<void>;
}

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
