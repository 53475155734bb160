import { z } from "@hono/zod-openapi";
import { readAttributes } from "../../_shared/db/people/attributes.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { ATTRIBUTE_TYPES, attributeNameSchema } from "../../_shared/people/attributes.ts";
import { addCompanyRoute } from "../company_route.ts";

/** An attribute as the API takes and returns it. */
export const attributeSchema = z.strictObject({
  name: attributeNameSchema,
  type: z.enum(ATTRIBUTE_TYPES, { error: `one of ${ATTRIBUTE_TYPES.join(", ")}` }),
}).openapi("ContactAttribute");

/** All attributes of a company. */
export const attributesSchema = z.object({ attributes: z.array(attributeSchema) }).openapi(
  "ContactAttributes",
);

/** For the API document. */
export const ATTRIBUTES_EXAMPLE: z.input<typeof attributesSchema> = {
  attributes: [{ name: "city", type: "text" }, { name: "points", type: "number" }],
};

/** `GET …/contacts/attributes` lists the attributes of contacts. */
export function registerGetAttributes(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/attributes",
    operationId: "listContactAttributes",
    summary: "List the attributes of contacts, with their types",
    response: { schema: attributesSchema, example: ATTRIBUTES_EXAMPLE },
  }, async (c, { caller: { companyId } }) => ({
    attributes: await readAttributes(c.get("services").sql, companyId),
  }));
}
