import { z } from "@hono/zod-openapi";
import { readTags } from "../../_shared/db/people/tags.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, pageFields, testField } from "../../_shared/http/app/list_page.ts";
import { tagSchema } from "../../_shared/people/person.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/contacts/tags` lists the tags of contacts. */
export function registerGetTags(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/tags",
    operationId: "listContactTags",
    summary: "List the tags of contacts, and how many have each",
    description: "In the order of their characters, capital letters first.",
    query: z.object({
      ...pageFields,
      after: tagSchema.optional().openapi({ description: "The `next` of the page before" }),
    }),
    response: {
      schema: z.object({
        tags: z.array(
          z.object({ tag: z.string(), contacts: z.number().int().min(1) }).openapi("ContactTag"),
        ),
        ...testField,
        next: z.string().nullable().openapi({
          description: "Give it as `after` to read on; null at the end",
        }),
      }).openapi("ContactTags"),
      example: { tags: [{ tag: "new", contacts: 1204 }, { tag: "vip", contacts: 12 }], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const tags = await readTags(c.get("services").sql, { companyId, ...query });
    return { tags, next: nextOf(tags, query.limit, "tag") };
  });
}
