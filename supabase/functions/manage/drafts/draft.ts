import { z } from "@hono/zod-openapi";
import { NOT_COPIED } from "../../_shared/campaigns/copy_campaign.ts";
import { text } from "../../_shared/campaigns/notification_request.ts";
import { requireTiming } from "../../_shared/campaigns/uploads/upload_plan.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { type DraftRow, lockDraft, readDraft } from "../../_shared/db/campaigns/drafts.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import { type CompanyCaller, requireChannel } from "../../_shared/http/guards/company_caller.ts";
import type { SettingsDocument } from "../settings_document.ts";

/** The fields of a campaign, as far as they are written: those of an upload, or of a request without contacts. */
export const draftPlanSchema = z.looseObject({
  channel: z.enum(["whatsapp", "voice"], { error: "whatsapp or voice" }),
}).openapi("DraftPlan", {
  description:
    "The body of POST …/uploads, or of POST /notify without contacts, as far as it is written. Sending it checks it",
});

/** The fields of a draft that members set. */
export const draftFields = z.strictObject({
  name: text(200),
  plan: draftPlanSchema,
}).openapi("DraftFields");

/** The largest body of a request that makes or changes a draft. */
export const MAX_DRAFT_BYTES = 64 * 1024;

/** A draft as the API returns it. */
export const draftSchema = z.object({
  draft_id: z.guid(),
  name: z.string(),
  plan: draftPlanSchema,
  created_by: z.string().openapi({ description: "As in the audit" }),
  updated_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}).openapi("Draft");

/** For the API document. */
export const draftFieldsExample: z.input<typeof draftFields> = {
  name: "Autumn orders",
  plan: { channel: "whatsapp", name_template: "order_update", language_template: "en_US" },
};

/** For the API document. */
export const draftExample: z.input<typeof draftSchema> = {
  draft_id: "0192f8a6-5f6e-7a31-9c5b-6c7d8e9f0a1b",
  ...draftFieldsExample,
  created_by: "user:0192f8a0-1111-4222-8333-444455556666",
  updated_by: "user:0192f8a0-1111-4222-8333-444455556666",
  created_at: "2026-12-01T09:00:00Z",
  updated_at: "2026-12-01T09:00:00Z",
};

/** The response with the draft of a campaign. */
export const COPIED_DRAFT = {
  schema: draftSchema.extend({
    not_copied: z.array(z.object({ field: z.enum(NOT_COPIED), reason: z.string() }).openapi("NotCopied")),
  }).openapi("CopiedDraft"),
  example: {
    ...draftExample,
    not_copied: [{ field: "contacts" as const, reason: "A draft has no recipients" }],
  },
};

/** The id of a draft in a path. */
export const draftParams = z.object({ draft_id: z.guid() });

/** Checks what a draft may hold. Throws `validation_failed`, and `permission_missing` for a channel that a key may not use. */
export function checkPlan(caller: CompanyCaller, plan: z.infer<typeof draftPlanSchema>): void {
  requireChannel(caller, plan.channel);
  for (const name of ["contact", "contacts"]) {
    if (name in plan) throw badFormat(`plan.${name}`, "", "no contacts: a draft has none");
  }
  requireTiming(plan);
}

/** Returns a draft that the caller may see. Throws `not_found` and `permission_missing`. */
export async function requireDraft(sql: Sql, caller: CompanyCaller, draftId: string): Promise<DraftRow> {
  const draft = await readDraft(sql, { companyId: caller.companyId, draftId });
  if (draft === undefined) throw noDraft();
  requireChannel(caller, draft.plan.channel);
  return draft;
}

function noDraft(): AppError {
  return new AppError("not_found", "Draft not found");
}

/** A draft is changed by one member at a time. */
export const DRAFT: SettingsDocument<{ draft_id: string }> = {
  lock: (sql, { companyId, params: { draft_id: draftId } }) => lockDraft(sql, { companyId, draftId }),
  async read(sql, { companyId, params: { draft_id: draftId } }) {
    const draft = await readDraft(sql, { companyId, draftId });
    return draft && { name: draft.name, plan: draft.plan };
  },
};
