import { z } from "@hono/zod-openapi";
import { NUMBER, USER_ID } from "../values/address.ts";

/** The form of a recipient's number: country code first, digits only. */
const NUMBER_FORMAT = "international format, digits only, 7 to 15 of them, no '+', no leading 0";

/** The form of a user id; for people. */
export const USER_ID_FORMAT =
  "a user id of the platform: two capital letters, a dot, letters and digits, such as ES.1349";

export const numberSchema = z.string({ error: NUMBER_FORMAT }).regex(NUMBER, NUMBER_FORMAT)
  .openapi({ description: NUMBER_FORMAT, example: "34600111222" });

/** That a person is named by one of the two, in words of JSON Schema that generators of clients pass over. */
export const NUMBER_OR_USER_ID: object = {
  if: { properties: { number: { type: "null" } } },
  then: { properties: { user_id: { type: "string" } }, required: ["user_id"] },
};

/** The same, or by a contact in place of both. */
export const ADDRESS_OR_CONTACT: object = {
  if: { properties: { number: { type: "null" }, user_id: { type: "null" } } },
  then: { properties: { contact_id: { type: "string" } }, required: ["contact_id"] },
  else: { properties: { contact_id: { type: "null" } } },
};

export const userIdSchema = z.string({ error: USER_ID_FORMAT })
  .regex(USER_ID, USER_ID_FORMAT)
  .openapi({ description: USER_ID_FORMAT, example: "ES.1349aBc" });
