import { z } from "@hono/zod-openapi";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { enterCompanyCell } from "../_shared/http/app/request_cell.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { readMediaToken } from "../_shared/media/media_link.ts";
import { mediaFiles, respondMedia } from "./media/media.ts";

const route: ApiRoute = {
  method: "get",
  path: "/manage/linked_media/{token}",
  operationId: "openMediaLink",
  summary: "Download a file by its link",
  description:
    "The link is that of `POST …/media/{media_id}/link`. It needs no key, and works until it expires.",
  tags: ["Management"],
  security: OPEN,
  request: {
    params: z.object({ token: z.string().openapi({ example: "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl" }) }),
  },
  responses: {
    200: { description: "The file", content: mediaFiles },
    ...errorResponses([404, 429, 502]),
  },
};

/** `GET /manage/linked_media/{token}` responds with the bytes of a file that a member shared by a link. */
export function registerGetLinkedMedia(app: App): void {
  addRoute(app, route, async (c) => {
    const { env, now } = c.get("services");
    const ids = await readMediaToken(env.OUTBOUND_SECRETS_KEY, c.req.param("token")!, now());
    enterCompanyCell(c, ids.companyId);
    return await respondMedia(c, ids);
  });
}
