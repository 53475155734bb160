import { z } from "@hono/zod-openapi";
import { batchesOf, NO_BATCH } from "../../_shared/campaigns/uploads/row_batches.ts";
import { sendUpload } from "../../_shared/campaigns/uploads/send_upload.ts";
import { dryRunUpload } from "../../_shared/campaigns/uploads/dry_run_upload.ts";
import type { UploadPlan } from "../../_shared/campaigns/uploads/upload_plan.ts";
import { readUpload } from "../../_shared/db/campaigns/uploads.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { addCompanyRoute } from "../company_route.ts";
import { takeFileSlot } from "./file_slot.ts";
import { openRows } from "./open_rows.ts";
import { requireUpload } from "./require_upload.ts";
import { describeTried, uploadResultSchema } from "./tried_schema.ts";
import { showUpload, UPLOAD_EXAMPLE } from "./upload_schema.ts";

/** More would not fit into memory with their cells. */
const MAX_ALL_PROBLEMS = 10_000;

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
      problems: z.enum(["some", "all"], { error: "some or all" }).default("some").openapi({
        description:
          `Of a dry run. \`all\`: the first ${MAX_ALL_PROBLEMS} problems instead of 200, each with the cells of its row`,
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
      schema: uploadResultSchema,
      example: UPLOAD_EXAMPLE,
    },
    refusals: [409, 422],
  }, async (c, { caller, params: { upload_id: uploadId }, query }) => {
    const services = c.get("services");
    const { companyId, by } = caller;
    const { plan } = await requireUpload(services.sql, caller, uploadId);
    if (plan.audience !== null) throw badFormat("upload_id", uploadId, "an upload of a file: start this one");
    const rows = openRows(c, (header) => checkHeader(header, plan));
    const { hash: keyHash } = await requireSendingKey(services.sql, caller);
    const release = takeFileSlot(c, companyId);
    try {
      if (query.dry_run === "true") {
        const all = query.problems === "all" && { maxProblems: MAX_ALL_PROBLEMS, withCells: true };
        return describeTried(
          uploadId,
          await dryRunUpload(services, { companyId, plan, keyHash, rows, ...all }),
        );
      }
      const open = () => ({ after: NO_BATCH, batches: batchesOf(rows, plan) });
      const result = await sendUpload(services, { companyId, uploadId, plan, keyHash, open, by });
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
