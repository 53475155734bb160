import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { baseUrl } from "../../_shared/http/app/urls.ts";
import { bodyType, readBytes } from "../../_shared/http/body/read_body.ts";
import { pictureUrl } from "../../_shared/http/company/picture_url.ts";
import {
  MAX_PICTURE_BYTES,
  MAX_PICTURE_SIDE,
  PICTURE_TYPES,
  setMemberPicture,
} from "../../_shared/media/member_picture.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import { myPictureExample, myPictureSchema } from "./my_picture.ts";

/** `PUT …/my/picture` stores the caller's picture. */
export function registerPutMyPicture(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/my/picture",
    operationId: "saveMyPicture",
    summary: "Store your picture",
    description: "The bytes as they are, with their `Content-Type`: PNG, JPEG or WebP, up to 512 KB and " +
      `${MAX_PICTURE_SIDE} pixels a side. It replaces the one before. Visitors of chats see it beside what you write, ` +
      "where the widget shows names. Metadata in the file is public too: the console removes it.",
    file: Object.fromEntries(
      PICTURE_TYPES.map((
        type,
      ) => [type, { schema: z.string().openapi({ format: "binary" }), example: undefined }]),
    ),
    response: { schema: myPictureSchema, example: myPictureExample },
  }, async (c, { caller }) => {
    // Before anything is stored: without it, there is no address to show.
    baseUrl(c);
    const picture = { type: bodyType(c), bytes: await readBytes(c, MAX_PICTURE_BYTES) };
    const name = await setMemberPicture(c.get("services"), memberOf(caller), picture, caller.by);
    return { picture_url: pictureUrl(c, name) };
  });
}
