import { z } from "@hono/zod-openapi";
import {
  audienceCountRequestSchema,
  audienceCountSchema,
  showAudienceCount,
} from "../../_shared/http/company/audience_count.ts";
import { contactListsSchema, listContactLists } from "../../_shared/http/company/contact_lists.ts";
import { channelSchema } from "../../_shared/http/app/shared_schemas.ts";
import { defineTool, pageArguments, READS } from "../tool.ts";

/** `list_contact_lists`: pages of saved lists. */
export const listContactListsTool = defineTool({
  name: "list_contact_lists",
  title: "List the saved lists of contacts",
  description:
    "Lists the saved lists of contacts with their conditions, the newest first; without their counts.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "people",
  input: z.strictObject(pageArguments),
  output: contactListsSchema,
  run: async ({ services: { sql }, caller: { companyId }, args }) =>
    await listContactLists(sql, companyId, args),
});

/** `count_audience`: the size of an audience before anything is sent to it. */
export const countAudienceTool = defineTool({
  name: "count_audience",
  title: "Count an audience",
  description:
    "Counts the contacts of a saved list or of a condition, and how many of them can be reached, before a campaign. " +
    "A condition is {all: […]}, {any: […]}, {not: …} or {field, op, value}; count {field: first_seen_at, op: is_set} for everyone.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "people",
  input: audienceCountRequestSchema.extend({
    channel: channelSchema.default("whatsapp").openapi({ description: "On which they are to be reached" }),
  }),
  output: audienceCountSchema,
  run: async ({ services: { sql, now }, caller: { companyId }, args }) =>
    await showAudienceCount(sql, { companyId, now: now() }, args),
});
