import { z } from "@hono/zod-openapi";
import { matchOfList, readFacts } from "../../_shared/audiences/audience.ts";
import { type Condition, readCondition } from "../../_shared/audiences/condition.ts";
import { resolveCondition } from "../../_shared/audiences/resolve_condition.ts";
import { countContacts, countMembers } from "../../_shared/db/contacts/audiences.ts";
import { type ListIds, type ListRow, readList } from "../../_shared/db/contacts/lists.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { AppError } from "../../_shared/errors.ts";
import { type contactListSchema, showListRow } from "../../_shared/http/company/contact_lists.ts";
import { trimmedLine } from "../../_shared/http/app/shared_schemas.ts";

/** The id of a list in a path. */
export const listParams = z.object({ list_id: z.guid() });

/** The name of a list. No other list of the company may have it; the database checks that. */
export const listName = trimmedLine(100);

/** Returns a list of a company. Throws `not_found`. */
export async function requireList(sql: Sql, ids: ListIds): Promise<ListRow> {
  const list = await readList(sql, ids);
  if (list === undefined) throw new AppError("not_found", "List not found");
  return list;
}

/** Returns a list that has members. Throws `not_found`, and `validation_failed` for one that has a condition. */
export async function requireMemberList(sql: Sql, ids: ListIds): Promise<ListRow> {
  const list = await requireList(sql, ids);
  if (list.condition === null) return list;
  const reason = "belongs to a list with a condition, which has no members of its own";
  throw new AppError("validation_failed", `'list_id' ${reason}`, { details: { field: "list_id", reason } });
}

/** The refusal of a name that another list has. */
export function nameTaken(): AppError {
  const reason = "another list has this name";
  return new AppError("validation_failed", `'name': ${reason}`, { details: { field: "name", reason } });
}

/** Reads the condition of a list, and looks up everything that it names. Throws `validation_failed`. */
export async function readListCondition(
  sql: Sql,
  { companyId, given, own, now }: { companyId: string; given: unknown; own: string | null; now: Date },
): Promise<Condition> {
  const condition = readCondition(given);
  resolveCondition(condition, await readFacts(sql, { companyId, condition, now }), own);
  return condition;
}

/** Returns a list with its count. */
export async function showList(
  sql: Sql,
  list: ListRow,
  { companyId, now }: { companyId: string; now: Date },
): Promise<z.input<typeof contactListSchema>> {
  const ids = { companyId, listId: list.list_id };
  if (list.condition === null) return { ...showListRow(list), count: await countMembers(sql, ids) };
  try {
    return {
      ...showListRow(list),
      count: await countContacts(sql, { companyId, match: await matchOfList(sql, { ...ids, now }) }),
    };
  } catch (error) {
    if (error instanceof AppError && error.code === "validation_failed") return showListRow(list);
    throw error;
  }
}
