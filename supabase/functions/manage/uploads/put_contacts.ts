import { z } from "@hono/zod-openapi";
import {
  DRY_RUN_STATUSES,
  NOT_CHECKED,
  renderedSchema,
} from "../../_shared/campaigns/dry_run/dry_run_response.ts";
import { adviseOn } from "../../_shared/campaigns/uploads/row_advice.ts";
import { sendUpload } from "../../_shared/campaigns/uploads/send_upload.ts";
import { type DryRunFile, dryRunUpload } from "../../_shared/campaigns/uploads/dry_run_upload.ts";
import type { UploadPlan } from "../../_shared/campaigns/uploads/upload_plan.ts";
import { warningSchema } from "../../_shared/campaigns/warnings.ts";
import { readUpload } from "../../_shared/db/campaigns/uploads.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { estimateFields } from "../../_shared/pricing/estimate.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { addCompanyRoute } from "../company_route.ts";
import { takeFileSlot } from "./file_slot.ts";
import { openRows } from "./open_rows.ts";
import { requireUpload } from "./require_upload.ts";
import {
  codeCountsSchema,
  problemFields,
  showUpload,
  UPLOAD_EXAMPLE,
  uploadSchema,
} from "./upload_schema.ts";

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
  })).openapi({ description: "The first 200 rows that are not `ok`" }),
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
  samples: z.array(z.object({ row: count, rendered: renderedSchema })).openapi({
    description: "What the first recipients would see; none for calls",
  }),
  warnings: z.array(warningSchema.omit({ index: true }).extend({ line: count.optional() })),
  ...estimateFields,
  not_checked: z.array(z.enum(NOT_CHECKED)),
}).openapi("UploadDryRun");

/** `PUT …/uploads/{upload_id}/contacts` takes the file of an upload. */
export function registerPutContacts(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/uploads/{upload_id}/contacts",
    operationId: "sendUploadFile",
    summary: "Send the file of an upload",
    description:
      "A CSV file whose first line names the columns, separated by commas, semicolons or tabs, or one JSON object per " +
      "line; UTF-8 (CSV also Windows-1252 and UTF-16), at most 64 MiB and 100,000 rows. A number is written with its " +
      "country code or as in the upload's `country`; decimals, (0) and extensions are refused. A row that cannot be accepted is refused by itself. Send the same " +
      "file again after an interruption: it goes on where it was, and no recipient gets the message twice. The notifications " +
      "count for the key that sends the file; for a member, for the company's current one.",
    params: z.object({ upload_id: z.guid() }),
    query: z.object({
      dry_run: z.enum(["true", "false"], { error: "true or false" }).default("false").openapi({
        description: "`true`: makes every check, and stores nothing",
      }),
    }),
    file: {
      "text/csv": { schema: z.string(), example: "Phone,First name,Order\r\n34600111222,Ana,A-1001\r\n" },
      "application/x-ndjson": {
        schema: z.string(),
        example: '{"Phone":"34600111222","First name":"Ana","Order":"A-1001"}\n',
      },
    },
    response: {
      schema: z.union([uploadSchema, triedSchema]).openapi("UploadResult"),
      example: UPLOAD_EXAMPLE,
    },
    refusals: [409, 422],
  }, async (c, { caller, params: { upload_id: uploadId }, query }) => {
    const services = c.get("services");
    const { companyId, by } = caller;
    const { plan } = await requireUpload(services.sql, caller, uploadId);
    const rows = openRows(c, (header) => checkHeader(header, plan));
    const { hash: keyHash } = await requireSendingKey(services.sql, caller);
    const release = takeFileSlot(c, companyId);
    try {
      if (query.dry_run === "true") {
        return describeTried(uploadId, await dryRunUpload(services, { companyId, plan, keyHash, rows }));
      }
      const result = await sendUpload(services, { companyId, uploadId, plan, keyHash, rows, by });
      if (result.kind === "refused") throw AppError.from(result.refusal);
      return showUpload((await readUpload(services.sql, { companyId, uploadId }))!);
    } finally {
      release();
    }
  });
}

const MAX_NAMED_COLUMNS = 20;
const MAX_NAME_LENGTH = 100;

/**
 * Throws for a column that the plan uses and the file lacks, or has twice: every row would be wrong. The names that the
 * file has are in the response only, and not in the message, which is stored: without a line of names they are a person's.
 */
function checkHeader(header: string[], { columns }: UploadPlan): string[] {
  for (const [field, column] of Object.entries(columns)) {
    const found = header.filter((name) => name === column).length;
    if (found === 1) continue;
    const reason = `The file has ${found === 0 ? "no" : "more than one"} column '${column}'`;
    const names = header.slice(0, MAX_NAMED_COLUMNS).map((name) => name.slice(0, MAX_NAME_LENGTH));
    throw new AppError("validation_failed", reason, {
      details: { field: `columns.${field}`, reason, columns: names },
    });
  }
  return header;
}

function describeTried(uploadId: string, { byCode, ...tried }: DryRunFile): z.input<typeof triedSchema> {
  return { upload_id: uploadId, dry_run: true, ...tried, by_code: adviseOn(byCode) };
}
