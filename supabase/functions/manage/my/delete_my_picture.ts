import { deleteMemberPicture } from "../../_shared/db/media/member_pictures.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import { myPictureSchema } from "./my_picture.ts";

/** `DELETE …/my/picture` removes the caller's picture. */
export function registerDeleteMyPicture(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/my/picture",
    operationId: "removeMyPicture",
    summary: "Remove your picture",
    description: "Its address opens nothing from then on, and earlier messages show your initials.",
    effect: "stops",
    response: { schema: myPictureSchema, example: { picture_url: null } },
  }, async (c, { caller }) => {
    await deleteMemberPicture(c.get("services").sql, memberOf(caller), caller.by);
    return { picture_url: null };
  });
}
