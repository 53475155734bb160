import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { MEDIA_EXAMPLE, mediaParams, mediaSchema, requireMedia } from "./media.ts";

/** `GET …/media/{media_id}` shows a file's facts. */
export function registerGetMediaByPath(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/media/{media_id}",
      operationId: "getMedia",
      summary: "Show a file's facts",
      params: mediaParams,
      response: { schema: mediaSchema, example: MEDIA_EXAMPLE },
    },
    async (c, { caller: { companyId }, params: { media_id: mediaId } }) =>
      showRow(mediaSchema, await requireMedia(c.get("services").sql, { companyId, mediaId })),
  );
}
