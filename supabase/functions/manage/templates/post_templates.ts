import { readTemplateAccess } from "../../_shared/db/templates/template_submissions.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { idempotencyHeaders, readIdempotencyKey } from "../../_shared/http/body/read_body.ts";
import { openAccount } from "../../_shared/http/guards/business_account.ts";
import {
  MAX_TEMPLATE_BYTES,
  respondSubmitted,
  submissionKeyOf,
  TEMPLATE_SUBMITTED_EXAMPLE,
  templateSubmittedSchema,
} from "../../_shared/http/template_submission.ts";
import { readTemplateRequest } from "../../_shared/templates/create/read_template_request.ts";
import {
  TEMPLATE_REQUEST_EXAMPLE,
  templateRequestSchema,
} from "../../_shared/templates/create/template_request.ts";
import { addCompanyRoute } from "../company_route.ts";

const { company_id: _, ...EXAMPLE } = TEMPLATE_REQUEST_EXAMPLE;

/** `POST …/templates` submits a template for review, as `POST /admin/chatapp/create/template` does. */
export function registerPostTemplates(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/templates",
    operationId: "createManagedTemplate",
    summary: "Submit a template for review",
    description: "As POST /admin/chatapp/create/template.",
    headers: idempotencyHeaders,
    body: {
      schema: templateRequestSchema.omit({ company_id: true }).openapi("ManagedTemplateRequest"),
      example: EXAMPLE,
      maxBytes: MAX_TEMPLATE_BYTES,
    },
    response: { schema: templateSubmittedSchema, example: TEMPLATE_SUBMITTED_EXAMPLE },
    refusals: [409, 422],
  }, async (c, { caller: { companyId, by }, body }) => {
    const { wabaId, template } = readTemplateRequest({ ...body, company_id: companyId });
    const idempotent = readIdempotencyKey(c, "manage/templates", JSON.stringify(body));
    const access = await readTemplateAccess(c.get("services").sql, { companyId, wabaId, userId: null });
    if (access === undefined) throw new AppError("not_found", "Company not found");
    if (!access.is_known) {
      throw badFormat("waba_id", wabaId, "a business account in which the company has a sender");
    }
    const token = await openAccount(c, companyId, access);
    const idempotency = submissionKeyOf(idempotent);
    return await respondSubmitted(c, { companyId, wabaId, template, token, by, idempotency });
  });
}
