import { z } from "@hono/zod-openapi";
import { conditionSchema } from "../../audiences/condition.ts";
import { type ListRow, readLists } from "../../db/contacts/lists.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { orNull } from "../../values/or_null.ts";
import { listFields, nextOf } from "../app/list_page.ts";
import { showRow } from "../app/show_row.ts";

/** A saved list of contacts. */
export const contactListSchema = z.object({
  list_id: z.guid(),
  name: z.string(),
  condition: orNull(conditionSchema).openapi({ description: "Null: the list has members" }),
  count: z.number().int().min(0).nullable().openapi({
    description:
      "How many contacts belong to it now; null in a page of lists, and where the condition names what is gone",
  }),
  created_by: z.string().openapi({ description: "As in the audit" }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}).openapi("ContactList");

/** For the API document. */
export const LIST_EXAMPLE: z.input<typeof contactListSchema> = {
  list_id: "0192f8d0-2222-4222-8333-444455556666",
  name: "Regulars in Spain",
  condition: {
    all: [{ field: "tag", op: "is", value: "regular" }, { field: "country", op: "is", value: "ES" }],
  },
  count: 1250,
  created_by: "user:0192f8a0-1111-4222-8333-444455556666",
  created_at: "2026-12-01T09:00:00Z",
  updated_at: "2026-12-01T09:00:00Z",
};

/** A page of lists. */
export const contactListsSchema = z.object({ lists: z.array(contactListSchema), ...listFields }).openapi(
  "ContactLists",
);

/** Returns a list without its count. */
export function showListRow(list: ListRow): z.input<typeof contactListSchema> {
  return showRow(contactListSchema, { ...list, count: null });
}

/** Returns a page of a company's lists, without their counts. */
export async function listContactLists(
  sql: Sql,
  companyId: string,
  page: { after?: string | undefined; limit: number },
): Promise<z.input<typeof contactListsSchema>> {
  const rows = await readLists(sql, { ...page, companyId });
  return { lists: rows.map(showListRow), next: nextOf(rows, page.limit, "list_id") };
}
