import { z } from "@hono/zod-openapi";
import { readUploads } from "../../_shared/db/campaigns/uploads.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { onlyChannel } from "../../_shared/http/guards/company_caller.ts";
import { addCompanyRoute } from "../company_route.ts";
import { showSummary, SUMMARY_EXAMPLE, uploadSummarySchema } from "./upload_schema.ts";

/** `GET …/uploads` lists uploads, with how far they are. */
export function registerGetUploads(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/uploads",
    operationId: "listUploads",
    summary: "List uploads",
    description: "A key sees those of the channels that it may send on.",
    query: z.object(pageFields),
    response: {
      schema: z.object({ uploads: z.array(uploadSummarySchema), ...listFields }).openapi("UploadPage"),
      example: { uploads: [SUMMARY_EXAMPLE], next: null },
    },
  }, async (c, { caller, query }) => {
    const rows = await readUploads(c.get("services").sql, {
      ...query,
      companyId: caller.companyId,
      channel: onlyChannel(caller),
    });
    return { uploads: rows.map(showSummary), next: nextOf(rows, query.limit, "upload_id") };
  });
}
