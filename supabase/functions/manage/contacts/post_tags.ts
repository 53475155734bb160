import { z } from "@hono/zod-openapi";
import { tagContacts, tagMembers } from "../../_shared/db/people/tags.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { tagsSchema } from "../../_shared/people/person.ts";
import { addCompanyRoute } from "../company_route.ts";
import { requireMemberList } from "../lists/list_schema.ts";

const IDS_FORMAT = "1 to 1000 contact_ids";

/** `POST …/contacts/tags` tags many contacts. */
export function registerPostTags(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/contacts/tags",
    operationId: "tagContacts",
    summary: "Add tags to many contacts, or remove them",
    description: "Those of `contact_ids`, or the members of a list. A contact has 50 tags at most.",
    body: {
      schema: z.strictObject({
        contact_ids: z.array(z.guid(), { error: IDS_FORMAT }).min(1, IDS_FORMAT).max(1000, IDS_FORMAT)
          .optional(),
        list_id: z.guid({ error: "the list_id of a list with members" }).optional(),
        add: tagsSchema.default([]),
        remove: tagsSchema.default([]),
      }).openapi("TagContacts"),
      example: { contact_ids: ["0192f8b1-1111-4222-8333-444455556666"], add: ["vip"], remove: ["new"] },
      maxBytes: 128 * 1024,
    },
    response: {
      schema: z.object({ changed: z.number().int().min(0) }).openapi("TaggedContacts"),
      example: { changed: 1 },
    },
  }, async (c, { caller: { companyId, by }, body: { contact_ids: ids, list_id: listId, add, remove } }) => {
    const { sql } = c.get("services");
    if ((ids === undefined) === (listId === undefined)) {
      throw badFormat("contact_ids", ids, "either contact_ids or list_id");
    }
    if (add.length + remove.length === 0) throw badFormat("add", add, "at least one tag to add or to remove");
    if (listId !== undefined) await requireMemberList(sql, { companyId, listId });
    const tags = { add, remove };
    return {
      changed: ids
        ? await tagContacts(sql, companyId, { ids, tags }, by)
        : await tagMembers(sql, companyId, { listId: listId!, tags }, by),
    };
  });
}
