import { z } from "@hono/zod-openapi";
import { refuseArchived } from "../archive/refuse_archived.ts";
import { findCampaigns } from "../db/contacts/audiences.ts";
import { type ListIds, readListConditions } from "../db/contacts/lists.ts";
import { readAttributes } from "../db/people/attributes.ts";
import type { Match } from "../db/contacts/match_sql.ts";
import type { Sql } from "../db/driver/connect.ts";
import { AppError, badFormat } from "../errors.ts";
import { type Condition, conditionSchema, readCondition } from "./condition.ts";
import { type ConditionFacts, listsIn, resolveCondition } from "./resolve_condition.ts";

const MAX_EXCEPTIONS = 20;
/** Of these, each reads all recipients of a campaign. */
const MAX_CAMPAIGNS = 5;

/** Documents an audience. `readAudience` checks it. */
export const audienceSchema = z.strictObject({
  list_id: z.guid("the id of a list").optional().openapi({ description: "Everyone of a list" }),
  condition: conditionSchema.optional(),
  except: z.array(
    z.union([
      z.strictObject({ list_id: z.guid() }),
      z.strictObject({ campaign_id: z.guid() }),
    ], { error: "{list_id} or {campaign_id}" }),
  ).max(MAX_EXCEPTIONS, `at most ${MAX_EXCEPTIONS}`).optional().openapi({
    description:
      "Leaves out everyone of a list, or everyone to whom a campaign went, by any address of the person",
  }),
}).openapi("Audience", {
  description: "Stored contacts: `list_id` or `condition`, without those of `except`",
});

/** The people that a request names: everyone of a list, or those who meet a condition, without some. */
export interface AudienceRequest {
  condition: Condition;
  except: ({ list_id: string } | { campaign_id: string })[];
}

/** Reads an audience. Throws `validation_failed` unless it has either a list or a condition. */
export function readAudience(given: z.infer<typeof audienceSchema>, path: string): AudienceRequest {
  const { list_id, condition, except = [] } = given;
  if ((list_id === undefined) === (condition === undefined)) {
    throw badFormat(path, "", "either list_id or condition");
  }
  if (list_id === undefined) return { condition: readCondition(condition, `${path}.condition`), except };
  return { condition: inList(list_id), except };
}

/** Returns the condition of everyone of a list. */
function inList(listId: string): Condition {
  return { field: "list", op: "is", value: listId };
}

/** Returns what the contacts of a list have to be. Throws `validation_failed` where its condition names what is gone. */
export async function matchOfList(
  sql: Sql,
  { companyId, listId, now }: ListIds & { now: Date },
): Promise<Match> {
  const condition = inList(listId);
  return resolveCondition(condition, await readFacts(sql, { companyId, condition, now }));
}

/** Looks up everything that an audience names. Throws as `resolveCondition` does, and for an unknown or archived campaign. */
export async function resolveAudience(
  sql: Sql,
  { companyId, condition, except, now }: AudienceRequest & { companyId: string; now: Date },
): Promise<Match> {
  const campaignIds = except.flatMap((each) => "campaign_id" in each ? each.campaign_id.toLowerCase() : []);
  if (campaignIds.length > MAX_CAMPAIGNS) throw badFormat("except", "", `at most ${MAX_CAMPAIGNS} campaigns`);
  const parts: Condition[] = [
    condition,
    ...except.flatMap((each) => "list_id" in each ? { not: inList(each.list_id) } : []),
  ];
  const facts = await readFacts(sql, { companyId, condition: { all: parts }, now });
  const known = new Set(await findCampaigns(sql, { companyId, campaignIds }));
  const unknown = campaignIds.find((id) => !known.has(id));
  if (unknown !== undefined) {
    const reason = "names a campaign that the company does not have";
    throw new AppError("validation_failed", `'except' ${reason}`, { details: { field: "except", reason } });
  }
  for (const campaignId of campaignIds) await refuseArchived(sql, { companyId, campaignId });
  const count = { all: 0, ledgers: 0 };
  const matches = parts.map((part) => resolveCondition(part, facts, null, count));
  return { all: [...matches, ...campaignIds.map((id) => ({ not: { recipient_of: id } }))] };
}

/** Reads what the names in a condition stand for, and those in the conditions of its lists. */
export async function readFacts(
  sql: Sql,
  { companyId, condition, now }: { companyId: string; condition: Condition; now: Date },
): Promise<ConditionFacts> {
  const types = await readAttributes(sql, companyId);
  const lists = new Map<string, Condition | null>();
  const asked = new Set<string>();
  for (let open = listsIn(condition); open.length > 0;) {
    const listIds = [...new Set(open)].filter((id) => !asked.has(id));
    if (listIds.length === 0) break;
    listIds.forEach((id) => asked.add(id));
    const rows = await readListConditions(sql, { companyId, listIds });
    const conditions = rows.map(({ list_id, condition }) => {
      const read = condition === null ? null : readCondition(condition);
      lists.set(list_id, read);
      return read;
    });
    open = conditions.flatMap((each) => each === null ? [] : listsIn(each));
  }
  return { now, attributes: new Map(types.map(({ name, type }) => [name, type])), lists };
}
