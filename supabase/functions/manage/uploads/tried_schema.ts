import { z } from "@hono/zod-openapi";
import {
  DRY_RUN_STATUSES,
  NOT_CHECKED,
  renderedSchema,
} from "../../_shared/campaigns/dry_run/dry_run_response.ts";
import { audienceLists } from "../../_shared/campaigns/dry_run/audience.ts";
import type { DryRunFile } from "../../_shared/campaigns/uploads/dry_run_upload.ts";
import { adviseOn } from "../../_shared/campaigns/uploads/row_advice.ts";
import { warningSchema } from "../../_shared/campaigns/warnings.ts";
import { estimateFields } from "../../_shared/pricing/estimate.ts";
import { codeCountsSchema, problemFields, uploadSchema } from "./upload_schema.ts";

const count = z.number().int().min(0);

const triedSchema = z.object({
  upload_id: z.guid(),
  dry_run: z.literal(true),
  rows: count,
  accepted: count.openapi({ description: "Rows that a real request would store" }),
  refused: count,
  ...Object.fromEntries(DRY_RUN_STATUSES.map((status) => [status, count])) as Record<
    typeof DRY_RUN_STATUSES[number],
    typeof count
  >,
  by_code: codeCountsSchema.openapi({ description: "Rows that are not `ok`" }),
  problems: z.array(z.object({
    ...problemFields,
    status: z.enum(DRY_RUN_STATUSES),
    recipient: z.string().nullable().openapi({
      description: "What the file has as the row's number or user id",
    }),
    cells: z.record(z.string(), z.unknown()).optional().openapi({ description: "With `problems=all`" }),
  })).openapi({ description: "The first 200 rows that are not `ok`; more with `problems=all`" }),
  countries: z.array(
    z.object({
      country: z.string().openapi({
        description: "Two letters; `ZZ` where the numbers show none",
        example: "ES",
      }),
      count,
      is_new: z.boolean().openapi({
        description: "Whether the company has never sent to it, as far as is stored",
      }),
    }).openapi("CountryCount"),
  ).openapi({ description: "Where the accepted rows go, most of them first" }),
  ...audienceLists,
  samples: z.array(z.object({ row: count, rendered: renderedSchema })).openapi({
    description: "What the first recipients would see; none for calls",
  }),
  warnings: z.array(warningSchema.omit({ index: true }).extend({ line: count.optional() })),
  ...estimateFields,
  not_checked: z.array(z.enum(NOT_CHECKED)),
}).openapi("UploadDryRun");

/** An upload, or what a dry run of it found. */
export const uploadResultSchema = z.union([uploadSchema, triedSchema]).openapi("UploadResult");

/** Returns the response to a dry run of an upload. */
export function describeTried(
  uploadId: string,
  { byCode, ...tried }: DryRunFile,
): z.input<typeof triedSchema> {
  return { upload_id: uploadId, dry_run: true, ...tried, by_code: adviseOn(byCode) };
}
