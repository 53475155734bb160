import { z } from "@hono/zod-openapi";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { requireBusinessAccount } from "../_shared/http/guards/business_account.ts";
import { identifyCaller } from "../_shared/http/guards/company_caller.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY, USER } from "../_shared/http/app/security.ts";
import type { IdempotentRequest } from "../_shared/campaigns/plan_campaign.ts";
import {
  MAX_TEMPLATE_BYTES,
  respondSubmitted,
  submissionKeyOf,
  TEMPLATE_SUBMITTED_EXAMPLE,
  templateSubmittedSchema,
} from "../_shared/http/template_submission.ts";
import { idempotencyHeaders, readIdempotencyKey, readJson } from "../_shared/http/body/read_body.ts";
import {
  readTemplateRequest,
  type TemplateOrder,
} from "../_shared/templates/create/read_template_request.ts";
import {
  TEMPLATE_REQUEST_EXAMPLE,
  templateRequestSchema,
} from "../_shared/templates/create/template_request.ts";

const route: ApiRoute = {
  method: "post",
  path: "/admin/chatapp/create/template",
  operationId: "createTemplate",
  summary: "Submit a template for review",
  description:
    "Called with the company's key, or with the token of one of its users. The service refuses everything that the " +
    "messaging platform is known to refuse. A refusal of the platform's own comes back as 400 in its words.",
  tags: ["Templates"],
  security: [...COMPANY_KEY, ...USER],
  request: {
    query: z.object({
      access_key: accessKeyParam,
    }),
    headers: idempotencyHeaders,
    body: jsonBody(templateRequestSchema, TEMPLATE_REQUEST_EXAMPLE),
  },
  responses: {
    200: {
      description: "Under review; the template can be sent once it is approved",
      ...json(templateSubmittedSchema, TEMPLATE_SUBMITTED_EXAMPLE),
    },
    ...errorResponses([400, 401, 403, 409, 413, 422, 429, 502], [403]),
  },
};

/**
 * `POST /admin/chatapp/create/template` submits a template to the messaging platform for review.
 *
 * Fails with `unauthorized`, `forbidden` (another company, or a business account that is not the company's),
 * `validation_failed`, `idempotency_key_in_use`, `idempotency_key_reused`, `rate_limit_exceeded`, or
 * `service_unavailable` (502) when the platform cannot be reached.
 */
export function registerPostCreateTemplate(app: App): void {
  addRoute(app, route, async (c) => {
    const identity = await identifyCaller(c);
    const { order, idempotent } = await readRequest(c);
    const account = await requireBusinessAccount(c, identity, order);
    return await respondSubmitted(c, { ...order, ...account, idempotency: submissionKeyOf(idempotent) });
  });
}

async function readRequest(
  c: AppContext,
): Promise<{ order: TemplateOrder; idempotent: IdempotentRequest | null }> {
  const body = await readJson(c, { maxBytes: MAX_TEMPLATE_BYTES });
  return {
    order: readTemplateRequest(body.value),
    idempotent: readIdempotencyKey(c, "admin/chatapp/create/template", body.text),
  };
}
