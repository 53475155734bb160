import { z } from "@hono/zod-openapi";
import { DRY_RUN_STATUSES, NOT_CHECKED, renderedSchema } from "../../_shared/campaigns/dry_run_response.ts";
import { adviseOn } from "../../_shared/campaigns/uploads/row_advice.ts";
import { sendUpload } from "../../_shared/campaigns/uploads/send_upload.ts";
import { type TriedFile, tryUpload } from "../../_shared/campaigns/uploads/try_upload.ts";
import { readStoredPlan, type UploadPlan } from "../../_shared/campaigns/uploads/upload_plan.ts";
import { warningSchema } from "../../_shared/campaigns/warnings.ts";
import { readUpload } from "../../_shared/db/uploads.ts";
import { AppError, badFormat, rateLimitExceeded } from "../../_shared/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import { streamBody } from "../../_shared/http/body/stream_body.ts";
import { estimateFields } from "../../_shared/pricing/estimate.ts";
import { readCsvRows } from "../../_shared/rows/csv_rows.ts";
import { decodeParts, type FileRow } from "../../_shared/rows/file_row.ts";
import { readNdjsonRows } from "../../_shared/rows/ndjson_rows.ts";
import { addMemberRoute } from "../member_route.ts";
import { requireSendingKey } from "./sending_key.ts";
import {
  codeCountsSchema,
  describeUpload,
  problemFields,
  UPLOAD_EXAMPLE,
  uploadSchema,
} from "./upload_schema.ts";
import { UPLOADS } from "../../_shared/services.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** How soon another upload of the company, or of this process, may be over. */
const BUSY_WAIT_S = 10;

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
  problems: z.array(z.object({ ...problemFields, status: z.enum(DRY_RUN_STATUSES) })).openapi({
    description: "The first 200 rows that are not `ok`",
  }),
  samples: z.array(z.object({ row: count, rendered: renderedSchema })).openapi({
    description: "What the first recipients would see; none for calls",
  }),
  warnings: z.array(warningSchema.omit({ index: true }).extend({ line: count.optional() })),
  ...estimateFields,
  not_checked: z.array(z.enum(NOT_CHECKED)),
}).openapi("TriedUpload");

/** `PUT …/uploads/{upload_id}/contacts` takes the file of an upload. */
export function registerPutContacts(app: App): void {
  addMemberRoute(app, {
    method: "put",
    path: "/uploads/{upload_id}/contacts",
    operationId: "sendUploadFile",
    summary: "Send the file of an upload",
    description:
      "A CSV file whose first line names the columns, separated by commas, semicolons or tabs, or one JSON object per " +
      "line; UTF-8, at most 64 MiB and 100,000 rows. A row that cannot be accepted is refused by itself. Send the same " +
      "file again after an interruption: it goes on where it was, and nobody gets the message twice. The notifications " +
      "count for the company's current key and its quota.",
    role: "operator",
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
  }, async (c, { member: { companyId, by }, params: { upload_id: uploadId }, query }) => {
    const services = c.get("services");
    const upload = await readUpload(services.sql, { companyId, uploadId });
    if (upload === undefined) throw new AppError("not_found", "Upload not found");
    const plan = readStoredPlan(upload.plan);
    const rows = readRows(c, plan);
    const keyHash = await requireSendingKey(services.sql, companyId);
    const release = takeSlot(c, companyId);
    try {
      if (query.dry_run === "true") {
        return describeTried(uploadId, await tryUpload(services, { companyId, plan, keyHash, rows }));
      }
      const result = await sendUpload(services, { companyId, uploadId, plan, keyHash, rows, by });
      if (result.kind === "refused") throw AppError.from(result.refusal);
      return describeUpload((await readUpload(services.sql, { companyId, uploadId }))!);
    } finally {
      release();
    }
  });
}

/** Opens the file by its media type. Reads nothing yet. */
function readRows(c: AppContext, plan: UploadPlan): AsyncGenerator<FileRow> {
  const type = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  const text = () => decodeParts(streamBody(c, MAX_FILE_BYTES));
  if (type === "text/csv") return readCsvRows(text(), (header) => checkHeader(header, plan));
  if (type === "application/x-ndjson") return readNdjsonRows(text());
  throw badFormat("Content-Type", type ?? "", "text/csv or application/x-ndjson");
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

function takeSlot(c: AppContext, companyId: string): () => void {
  const { uploads, now } = c.get("services");
  const slot = uploads.take(companyId);
  if (typeof slot === "function") return slot;
  const message = slot === "key"
    ? `At most ${UPLOADS.perKey} files of a company are read at once`
    : "This server is reading as many files as it can; retry in a moment";
  const limit = slot === "key" ? UPLOADS.perKey : UPLOADS.total;
  throw AppError.from(
    rateLimitExceeded(message, { limit, windowS: BUSY_WAIT_S, waitS: BUSY_WAIT_S, now: now() }),
  );
}

function describeTried(uploadId: string, { byCode, ...tried }: TriedFile): z.input<typeof triedSchema> {
  return { upload_id: uploadId, dry_run: true, ...tried, by_code: adviseOn(byCode) };
}
