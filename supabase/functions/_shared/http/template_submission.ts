import { z } from "@hono/zod-openapi";
import type { IdempotentRequest } from "../campaigns/plan_campaign.ts";
import type { SubmissionKey } from "../db/templates/template_submissions.ts";
import type { Services } from "../services.ts";
import type { Submission, SubmitContext } from "../templates/create/submission.ts";
import { submitTemplate } from "../templates/create/submit_template.ts";
import type { AppContext } from "./app/context.ts";

/** The longest template has some 20 KiB. */
export const MAX_TEMPLATE_BYTES = 256 * 1024;

/** The response to a template that was submitted. */
export const templateSubmittedSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  template: z.object({
    id: z.uuid().openapi({ description: "The template's id, as in the list of templates" }),
    name: z.string(),
    status: z.literal("pending"),
    submitted_at: z.iso.datetime(),
  }),
}).openapi("TemplateSubmitted");

export const TEMPLATE_SUBMITTED_EXAMPLE: z.input<typeof templateSubmittedSchema> = {
  success: true,
  message: "Template submitted for review",
  template: {
    id: "0192f8a9-3e4f-7051-8c6d-7e8f9a0b1c2d",
    name: "order_update",
    status: "pending",
    submitted_at: "2026-12-01T09:00:00Z",
  },
};

/** Returns the key of a submission that must not run twice, or null. */
export function submissionKeyOf(request: IdempotentRequest | null): SubmissionKey | null {
  return request && { endpoint: request.endpoint, key: request.key, request_hash: request.requestHash };
}

/** Submits a template and responds. Throws what {@link submitTemplate} throws. */
export async function respondSubmitted(c: AppContext, submission: Submission): Promise<Response> {
  const { services } = c.var;
  const submitted = await submitTemplate(contextOf(services), submission);
  if (submitted.replayed) {
    c.header("Idempotent-Replayed", "true");
  } else {
    services.outages.worked("whatsapp");
    services.inBackground(submitted.confirm(), { request_id: c.get("requestId") });
  }
  return c.json(submitted.response as Record<string, unknown>);
}

function contextOf({ sql, env, mediaStore, sampleUploads }: Services): SubmitContext {
  return {
    sql,
    whatsapp: { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
    timeoutMs: env.OUTBOUND_SEND_TIMEOUT_S * 1000,
    allowPrivate: env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS,
    mediaStore,
    sampleUploads,
  };
}
