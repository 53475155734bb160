import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { mediaFiles, mediaParams, respondMedia } from "./media.ts";

/** `GET …/media/{media_id}/content` responds with a file's bytes. */
export function registerGetMediaContent(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/media/{media_id}/content",
      operationId: "downloadMedia",
      summary: "Download a file",
      description: "Images, audio and video are shown in place, documents are attachments.",
      params: mediaParams,
      response: { files: mediaFiles },
    },
    (c, { caller: { companyId }, params: { media_id: mediaId } }) => respondMedia(c, { companyId, mediaId }),
  );
}
