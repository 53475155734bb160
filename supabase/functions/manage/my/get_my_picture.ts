import { readMemberPicture } from "../../_shared/db/media/member_pictures.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { pictureUrl } from "../../_shared/http/company/picture_url.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import { myPictureExample, myPictureSchema } from "./my_picture.ts";

/** `GET …/my/picture` shows the address of the caller's picture. */
export function registerGetMyPicture(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/my/picture",
    operationId: "getMyPicture",
    summary: "Show your picture",
    response: { schema: myPictureSchema, example: myPictureExample },
  }, async (c, { caller, sql }) => ({
    picture_url: pictureUrl(c, await readMemberPicture(sql, memberOf(caller))),
  }));
}
