import type { KeyedSlots } from "../../concurrency/keyed_slots.ts";
import type { Sql } from "../../db/connect.ts";
import type { Actor } from "../../db/audit.ts";
import type { SubmissionKey } from "../../db/template_submissions.ts";
import type { WhatsappConfig } from "../../gateways/whatsapp/errors.ts";
import type { NewTemplate } from "./read_template_request.ts";

/** The services that submitting uses. */
export interface SubmitContext {
  sql: Sql;
  whatsapp: WhatsappConfig;
  /** How long each of the platform's responses may take. */
  timeoutMs: number;
  /** Whether a sample may come from this machine, from private networks, and without TLS. */
  allowPrivate: boolean;
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
