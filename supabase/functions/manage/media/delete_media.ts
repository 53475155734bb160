import { z } from "@hono/zod-openapi";
import { deleteMediaFile } from "../../_shared/db/media/media_files.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { MEDIA_EXAMPLE, mediaParams, noMedia } from "./media.ts";

/** `DELETE …/media/{media_id}` removes a file. */
export function registerDeleteMedia(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/media/{media_id}",
    operationId: "removeMedia",
    summary: "Remove a file",
    description: "Messages with it that have not left yet fail, with the code `media_removed`.",
    params: mediaParams,
    response: {
      schema: z.object({ media_id: z.guid(), removed: z.literal(true) }).openapi("RemovedMedia"),
      example: { media_id: MEDIA_EXAMPLE.media_id, removed: true },
    },
  }, async (c, { caller: { companyId, by }, params: { media_id: mediaId } }) => {
    if (!await deleteMediaFile(c.get("services").sql, { companyId, mediaId }, by)) throw noMedia();
    return { media_id: mediaId, removed: true as const };
  });
}
