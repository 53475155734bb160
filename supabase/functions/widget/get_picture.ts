import { z } from "@hono/zod-openapi";
import { findPicture } from "../_shared/db/media/member_pictures.ts";
import { AppError } from "../_shared/errors.ts";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { dispositionOf, respondPlatformFile } from "../_shared/http/app/platform_file.ts";
import { enterCompanyCell } from "../_shared/http/app/request_cell.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { objectKey, requireMediaStore } from "../_shared/media/add_media.ts";
import { PICTURE_TYPES } from "../_shared/media/member_picture.ts";

/** A chat has a picture for each member who writes. */
const READS = { what: "pictures", perAddress: 3000 };

const paramsSchema = z.object({ company_id: z.guid(), token: z.guid(), picture_id: z.guid() });

const route: ApiRoute = {
  method: "get",
  path: "/widget/pictures/{company_id}/{token}/{picture_id}",
  operationId: "getMemberPicture",
  summary: "Load a member's picture",
  description:
    "The address is that of a message's `sender.avatar_url`. The address of a picture that was replaced opens the one that " +
    "replaced it. It needs no key.",
  tags: ["Chat widget"],
  security: OPEN,
  request: { params: paramsSchema },
  responses: {
    200: {
      description: "The picture",
      content: Object.fromEntries(
        PICTURE_TYPES.map((type) => [type, { schema: z.string().openapi({ format: "binary" }) }]),
      ),
    },
    ...errorResponses([404, 429, 502]),
  },
};

/**
 * `GET /widget/pictures/{company_id}/{token}/{picture_id}` responds with a member's picture. Fails with `not_found`,
 * `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerGetPicture(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, READS);
    const params = paramsSchema.safeParse(c.req.param());
    if (!params.success) throw noPicture();
    const { company_id: companyId, token, picture_id } = params.data;
    enterCompanyCell(c, companyId);
    const services = c.get("services");
    const picture = await findPicture(services.sql, { companyId, token });
    if (picture === undefined) throw noPicture();
    const { id: mediaId, content_type: type } = picture;
    const object = await requireMediaStore(services).get(objectKey({ companyId, mediaId }));
    if (object === null) throw noPicture();
    return await respondPlatformFile(c, object, {
      type,
      disposition: dispositionOf("inline", "picture"),
      // By the visitor's own browser alone: a picture that is removed is gone from everywhere else.
      cache: mediaId === picture_id.toLowerCase()
        ? "private, max-age=31536000, immutable"
        : "private, no-cache",
    });
  });
}

function noPicture(): AppError {
  return new AppError("not_found", "There is no such picture");
}
