import { z } from "@hono/zod-openapi";

/** How a person is reached: by a number, by the platform's user id, or by both; the number wins. */
export interface Address {
  /** Digits with the country code. */
  number: string | null;
  /** The platform's business-scoped user id, such as `ES.1349…`. It is case-sensitive. */
  user_id: string | null;
}

/** The form of a recipient's number: country code first, digits only. */
export const NUMBER_FORMAT = "international format, digits only, 7 to 15 of them, no '+', no leading 0";

/** The form of a user id. Source: WhatsApp Cloud API, business-scoped user ids. */
export const USER_ID_FORMAT =
  "a user id of the platform: two capital letters, a dot, letters and digits, such as ES.1349";

export const numberSchema = z.string({ error: NUMBER_FORMAT }).regex(/^[1-9]\d{6,14}$/, NUMBER_FORMAT)
  .openapi({ description: NUMBER_FORMAT, example: "34600111222" });

export const userIdSchema = z.string({ error: USER_ID_FORMAT })
  .regex(/^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/, USER_ID_FORMAT)
  .openapi({ description: USER_ID_FORMAT, example: "ES.1349aBc" });
