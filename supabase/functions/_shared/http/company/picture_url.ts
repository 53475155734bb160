import { z } from "@hono/zod-openapi";
import type { PictureColumns } from "../../db/access/members.ts";
import { type PictureName, pictureNameOf } from "../../db/media/member_pictures.ts";
import type { AppContext } from "../app/context.ts";
import { baseUrl } from "../app/urls.ts";

/** The address of a member's picture, as responses show it. */
export const pictureUrlSchema = z.string().nullable().openapi({
  description: "Opens without a key. Another picture has another address; null: the member has none",
});

export const PICTURE_URL_EXAMPLE = "https://api.example.com/functions/v1/widget/pictures/" +
  "0192f8a4-5b1c-7c3d-8e2f-1a2b3c4d5e6f/7c0f3f0a-52d7-4a1e-9f3d-0b6f7f1f2a3b/0192f8d2-1111-7222-8333-444455556666";

/** Returns the address of a member's picture; null where there is none. Throws what `baseUrl` throws. */
export function pictureUrl(c: AppContext, name: PictureName | null): string | null {
  if (name === null) return null;
  return `${baseUrl(c)}/widget/pictures/${name.companyId}/${name.token}/${name.pictureId}`;
}

/** Returns rows of a company's members with the addresses of their pictures. Throws what `baseUrl` throws. */
export function withPictureUrls<Row extends PictureColumns>(
  c: AppContext,
  companyId: string,
  rows: Row[],
): (Omit<Row, keyof PictureColumns> & { picture_url: string | null })[] {
  return rows.map(({ picture_token, picture_id, ...row }) => ({
    ...row,
    picture_url: pictureUrl(c, pictureNameOf(companyId, { picture_token, picture_id })),
  }));
}
