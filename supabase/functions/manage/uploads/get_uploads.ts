import { z } from "@hono/zod-openapi";
import { readUpload, readUploads } from "../../_shared/db/campaigns/uploads.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import {
  describeSummary,
  describeUpload,
  SUMMARY_EXAMPLE,
  UPLOAD_EXAMPLE,
  uploadSchema,
  uploadSummarySchema,
} from "./upload_schema.ts";

/** `GET …/uploads` and `GET …/uploads/{upload_id}` show how far uploads are. */
export function registerGetUploads(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/uploads",
    operationId: "listUploads",
    summary: "List uploads",
    role: "viewer",
    query: z.object(pageFields),
    response: {
      schema: z.object({ uploads: z.array(uploadSummarySchema), next: nextSchema }).openapi("UploadPage"),
      example: { uploads: [SUMMARY_EXAMPLE], next: null },
    },
  }, async (c, { member: { companyId }, query }) => {
    const rows = await readUploads(c.get("services").sql, { companyId, ...query });
    return { uploads: rows.map(describeSummary), next: nextOf(rows, query.limit) };
  });

  addMemberRoute(app, {
    method: "get",
    path: "/uploads/{upload_id}",
    operationId: "getUpload",
    summary: "Show an upload",
    role: "viewer",
    params: z.object({ upload_id: z.guid() }),
    response: { schema: uploadSchema, example: UPLOAD_EXAMPLE },
  }, async (c, { member: { companyId }, params: { upload_id: uploadId } }) => {
    const upload = await readUpload(c.get("services").sql, { companyId, uploadId });
    if (upload === undefined) throw new AppError("not_found", "Upload not found");
    return describeUpload(upload);
  });
}
