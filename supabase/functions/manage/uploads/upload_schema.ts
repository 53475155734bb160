import { z } from "@hono/zod-openapi";
import { audienceSchema } from "../../_shared/audiences/audience.ts";
import { adviseOn } from "../../_shared/campaigns/uploads/row_advice.ts";
import { readStoredPlan } from "../../_shared/campaigns/uploads/upload_plan.ts";
import type { UploadRow, UploadSummaryRow } from "../../_shared/db/campaigns/uploads.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { channelSchema } from "../../_shared/http/app/shared_schemas.ts";
import { orNull } from "../../_shared/values/or_null.ts";

const count = z.number().int().min(0);

export const codeCountsSchema = z.array(
  z.object({ code: z.string(), count, what_to_do: z.string() }).openapi("RowCount"),
);

export const problemFields = {
  row: z.number().int().min(1).openapi({ description: "From 1, without the line that names the columns" }),
  line: z.number().int().min(1).openapi({ description: "The line of the file in which the row ends" }),
  column: z.string().nullable().openapi({ description: "Null where it is not a single column" }),
  code: z.string(),
  reason: z.string(),
};

export const uploadStateSchema = z.enum(["new", "partial", "completed"]).openapi("UploadState", {
  description: "`partial`: rows are stored or an audience is started, and it has not come to its end",
});

export const stoppedSchema = z.object({ code: z.string(), message: z.string() }).openapi("UploadStopped");

/** An upload without its single rows. */
export const uploadSummarySchema = z.object({
  upload_id: z.guid(),
  campaign_id: z.guid().nullable().openapi({ description: "Null until the first rows are stored" }),
  campaign_name: z.string(),
  channel: channelSchema,
  state: uploadStateSchema,
  rows: count.openapi({ description: "Rows of the file so far: accepted + refused" }),
  accepted: count,
  refused: count,
  members: count.nullable().openapi({
    description: "Of an audience: how many people it had when it was started; null for a file",
  }),
  stopped: orNull(stoppedSchema).openapi({
    description: "Why the last request ended before the file did",
  }),
  created_by: z.string().openapi({ description: "As in the audit" }),
  created_at: z.iso.datetime(),
  changed_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
}).openapi("UploadSummary");

export const uploadSchema = uploadSummarySchema.extend({
  audience: orNull(audienceSchema),
  file_name: z.string().nullable().openapi({ description: "As the upload was made with it" }),
  list_name: z.string().nullable().openapi({
    description: "The name of the audience's list when the upload was made",
  }),
  columns: z.record(z.string(), z.string()),
  duplicates: z.enum(["refuse", "accept"]),
  country: z.string().nullable().openapi({
    description:
      "Of numbers without a country code; null where neither the upload nor the sender's number shows one",
  }),
  refused_by_code: codeCountsSchema,
  warned_by_code: z.array(z.object({ code: z.string(), count }).openapi("WarningCount")).openapi({
    description: "Warnings about accepted rows; at most 20 of a hundred rows count",
  }),
  problems: z.array(z.object(problemFields).openapi("RowProblem")).openapi({
    description: "The first 200 refused rows",
  }),
}).openapi("Upload");

export const SUMMARY_EXAMPLE: z.input<typeof uploadSummarySchema> = {
  upload_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  campaign_id: "0192f8a6-4e3f-7052-8b6c-7d8e9f0a1b2c",
  campaign_name: "Autumn orders",
  channel: "whatsapp",
  state: "completed",
  rows: 25_000,
  accepted: 24_999,
  refused: 1,
  members: null,
  stopped: null,
  created_by: "user:0192f8a0-1111-4222-8333-444455556666",
  created_at: "2026-12-01T09:00:00Z",
  changed_at: "2026-12-01T09:00:30Z",
  completed_at: "2026-12-01T09:00:30Z",
};

export const UPLOAD_EXAMPLE: z.input<typeof uploadSchema> = {
  ...SUMMARY_EXAMPLE,
  audience: null,
  file_name: "autumn.csv",
  list_name: null,
  columns: { number: "Phone", name: "First name", body_text_1: "Order" },
  duplicates: "refuse",
  country: "ES",
  refused_by_code: [{
    code: "number_is_invalid",
    count: 1,
    what_to_do: "Write the number with + and its country code",
  }],
  warned_by_code: [],
  problems: [{
    row: 17,
    line: 18,
    column: "Phone",
    code: "number_is_invalid",
    reason:
      "No phone number of the default country, nor one with a country code: write + and the country code",
  }],
};

/** Returns an upload with its campaign's name and its state, as lists and events show it. */
export function showSummary(upload: UploadSummaryRow): z.input<typeof uploadSummarySchema> {
  const { channel, fields } = readStoredPlan(upload.plan);
  const isBegun = upload.batches > 0 || upload.members !== null;
  const state = upload.completed_at !== null ? "completed" : isBegun ? "partial" : "new";
  return showRow(uploadSummarySchema, {
    ...upload,
    campaign_name: String(fields.campaign_name),
    channel,
    state,
  });
}

/** Returns an upload with its refused rows. */
export function showUpload(upload: UploadRow): z.input<typeof uploadSchema> {
  const { columns, duplicates, country, audience, file_name, list_name } = readStoredPlan(upload.plan);
  return {
    ...showSummary(upload),
    ...{ columns, duplicates, country, audience, file_name, list_name },
    refused_by_code: adviseOn(upload.refused_by_code),
    warned_by_code: adviseOn(upload.warned_by_code).map(({ code, count }) => ({ code, count })),
    problems: upload.problems,
  };
}
