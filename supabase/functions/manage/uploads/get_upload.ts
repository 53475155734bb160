import { z } from "@hono/zod-openapi";
import { readUpload } from "../../_shared/db/campaigns/uploads.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addMemberRoute } from "../member_route.ts";
import { showUpload, UPLOAD_EXAMPLE, uploadSchema } from "./upload_schema.ts";

/** `GET …/uploads/{upload_id}` shows how far an upload is. */
export function registerGetUpload(app: App): void {
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
    return showUpload(upload);
  });
}
