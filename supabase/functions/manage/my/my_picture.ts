import { z } from "@hono/zod-openapi";
import { PICTURE_URL_EXAMPLE, pictureUrlSchema } from "../../_shared/http/company/picture_url.ts";

export const myPictureSchema = z.object({ picture_url: pictureUrlSchema }).openapi("MyPicture");

export const myPictureExample: z.input<typeof myPictureSchema> = { picture_url: PICTURE_URL_EXAMPLE };
