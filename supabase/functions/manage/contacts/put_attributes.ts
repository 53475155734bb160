import { z } from "@hono/zod-openapi";
import { addAttributes, readAttributes } from "../../_shared/db/people/attributes.ts";
import { lockPeople } from "../../_shared/db/people/contacts.ts";
import { inTransaction } from "../../_shared/db/driver/in_transaction.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { MAX_ATTRIBUTES } from "../../_shared/people/attributes.ts";
import { addCompanyRoute } from "../company_route.ts";
import { ATTRIBUTES_EXAMPLE, attributeSchema, attributesSchema } from "./get_attributes.ts";

const LIST_FORMAT = `1 to ${MAX_ATTRIBUTES} attributes; a company has no more`;

/** `PUT …/contacts/attributes` adds attributes. */
export function registerPutAttributes(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "put",
      path: "/contacts/attributes",
      operationId: "addContactAttributes",
      summary: "Add attributes of contacts",
      description:
        "Before the first value, which decides the type otherwise. A type never changes. What is left out stays.",
      body: {
        schema: z.strictObject({
          attributes: z.array(attributeSchema).min(1, LIST_FORMAT).max(MAX_ATTRIBUTES, LIST_FORMAT),
        }).openapi("AddContactAttributes"),
        example: ATTRIBUTES_EXAMPLE,
      },
      response: { schema: attributesSchema, example: ATTRIBUTES_EXAMPLE },
    },
    async (c, { caller: { companyId, by }, body }) =>
      await inTransaction(c.get("services").sql, async (sql) => {
        await lockPeople(sql, companyId);
        await addAttributes(sql, companyId, body.attributes, by);
        const attributes = await readAttributes(sql, companyId);
        if (attributes.length > MAX_ATTRIBUTES) throw badFormat("attributes", attributes.length, LIST_FORMAT);
        const types = new Map(attributes.map(({ name, type }) => [name, type]));
        const other = body.attributes.find(({ name, type }) => types.get(name) !== type);
        if (other) {
          throw badFormat(`attributes.${other.name}`, other.type, `${types.get(other.name)}, as it is`);
        }
        return { attributes };
      }),
  );
}
