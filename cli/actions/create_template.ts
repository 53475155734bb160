import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { readTemplateAccess } from "../../supabase/functions/_shared/db/template_submissions.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { createKeyedSlots } from "../../supabase/functions/_shared/keyed_slots.ts";
import {
  readTemplateRequest,
  type TemplateOrder,
} from "../../supabase/functions/_shared/templates/create/read_template_request.ts";
import { SAMPLE_UPLOADS } from "../../supabase/functions/_shared/templates/create/sample_uploads.ts";
import {
  type SubmitContext,
  submitTemplate,
} from "../../supabase/functions/_shared/templates/create/submit_template.ts";
import { openToken } from "../../supabase/functions/_shared/templates/open_token.ts";
import { CommandError } from "../command_error.ts";
import { unknownCompany } from "./unknown_company.ts";

export interface CreatedTemplate {
  templateId: string;
  name: string;
  /** As the platform answered: `pending`, unless it judged the template at once. */
  status: string;
}

/**
 * Submits a template for review, as `POST /admin/chatapp/create/template` does; `body` is that of its request.
 *
 * @throws {CommandError} `bad_value`, `not_found`, `already_exists`, or `platform_error` for what the platform refuses or
 * does not answer
 */
export async function createTemplate(
  { sealer, ...given }: Omit<SubmitContext, "sampleUploads"> & { sealer: Sealer },
  body: Record<string, unknown>,
): Promise<CreatedTemplate> {
  const context = { ...given, sampleUploads: createKeyedSlots(SAMPLE_UPLOADS) };
  try {
    const order = readTemplateRequest(body);
    const { companyId } = order;
    const token = await tokenOf(context, sealer, order);
    const submitted = await submitTemplate(context, { ...order, token, idempotency: null });
    await submitted.confirm();
    const [row] = await context.sql<CreatedTemplate[]>`
      select id as "templateId", name, status from outbound.templates
      where company_id = ${companyId} and id = ${submitted.templateId}`;
    return row!;
  } catch (error) {
    throw error instanceof AppError ? commandError(error) : error;
  }
}

async function tokenOf({ sql }: SubmitContext, sealer: Sealer, order: TemplateOrder): Promise<string> {
  const { companyId, wabaId } = order;
  const access = await readTemplateAccess(sql, { companyId, wabaId, userId: null });
  if (access === undefined) throw unknownCompany(companyId);
  if (!access.is_known) {
    throw new CommandError("bad_value", `Company ${companyId} has no sender in business account ${wabaId}`);
  }
  return await openToken(sealer, {
    companyId,
    senderId: access.sender_id,
    tokenSealed: access.token_sealed,
  });
}

function commandError(error: AppError): CommandError {
  const { service, field, reason } = error.details ?? {};
  const ofPlatform = service === "whatsapp";
  const exists = field === "name_template" && String(reason).startsWith("exists");
  const code = exists ? "already_exists" : ofPlatform ? "platform_error" : "bad_value";
  return new CommandError(code, error.message, { cause: error });
}
