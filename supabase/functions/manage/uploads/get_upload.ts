import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { requireUpload } from "./require_upload.ts";
import { showUpload, UPLOAD_EXAMPLE, uploadSchema } from "./upload_schema.ts";

/** `GET …/uploads/{upload_id}` shows how far an upload is. */
export function registerGetUpload(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/uploads/{upload_id}",
    operationId: "getUpload",
    summary: "Show an upload",
    params: z.object({ upload_id: z.guid() }),
    response: { schema: uploadSchema, example: UPLOAD_EXAMPLE },
  }, async (c, { caller, params: { upload_id: uploadId } }) => {
    const { upload } = await requireUpload(c.get("services").sql, caller, uploadId);
    return showUpload(upload);
  });
}
