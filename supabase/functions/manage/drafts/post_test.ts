import { z } from "@hono/zod-openapi";
import { bulkResponseSchema, withoutDetails } from "../../_shared/campaigns/batch.ts";
import { testRequestOf } from "../../_shared/campaigns/test_request.ts";
import { queueCampaign } from "../../_shared/campaigns/queue_campaign.ts";
import { requireQueued } from "../../_shared/campaigns/queue_result.ts";
import { readTestRecipients } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { idempotencyHeaders, readIdempotencyKey } from "../../_shared/http/body/read_body.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { addCompanyRoute } from "../company_route.ts";
import { checkPlan, draftParams, draftPlanSchema, MAX_DRAFT_BYTES, requireDraft } from "./draft.ts";

const sampleSchema = z.record(z.string(), z.union([z.string().max(1024), z.number(), z.boolean()]));

/** `POST …/campaigns/drafts/{draft_id}/test` sends a draft to colleagues. */
export function registerPostDraftTest(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/campaigns/drafts/{draft_id}/test",
    operationId: "testDraft",
    summary: "Send the draft of a campaign to the test recipients",
    description:
      "Sends it at once, for real, to the numbers of `GET …/settings/test_recipients`, as a campaign whose name begins with " +
      "`Test:`. It counts for the key that asks; for a member, for the company's current one.",
    params: draftParams,
    headers: idempotencyHeaders,
    body: {
      schema: z.strictObject({
        contact: sampleSchema.optional().openapi({
          description: "Fields of the contact, for references and for values that columns would fill",
        }),
        plan: draftPlanSchema.optional().openapi({ description: "Tests this instead of what is stored" }),
      }).openapi("DraftTest"),
      example: { contact: { order: "A-1001" } },
      optional: true,
      maxBytes: MAX_DRAFT_BYTES,
    },
    response: {
      schema: bulkResponseSchema,
      example: {
        success: true,
        message: "Processing completed",
        total: 2,
        processed: 2,
        failed: 0,
        errors: [],
        inquiry_set_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
      },
    },
    refusals: [409, 422],
  }, async (c, { caller, params: { draft_id: draftId }, body }) => {
    const services = c.get("services");
    const draft = await requireDraft(services.sql, caller, draftId);
    const plan = body.plan ?? draft.plan;
    if (body.plan) checkPlan(caller, body.plan);
    const { channel, request } = testRequestOf(plan, {
      name: draft.name,
      recipients: await readTestRecipients(services.sql, caller.companyId),
      sample: body.contact ?? {},
    });
    const { hash: keyHash } = await requireSendingKey(services.sql, caller);
    const queued = await queueCampaign(services, channel, {
      keyHash,
      request,
      campaignId: null,
      more: false,
      idempotent: readIdempotencyKey(c, "manage/test", `${draftId}\n${JSON.stringify(body)}`),
    });
    const result = requireQueued(queued);
    if (result.isReplay) c.header("Idempotent-Replayed", "true");
    return withoutDetails(result.response) as z.input<typeof bulkResponseSchema>;
  });
}
