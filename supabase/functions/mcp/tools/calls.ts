import { z } from "@hono/zod-openapi";
import {
  callDetailsSchema,
  callFilters,
  callsSchema,
  listCalls,
  showCall,
} from "../../_shared/http/company/calls.ts";
import { defineTool, flagArgument, idArgument, pageArguments, READS } from "../tool.ts";

export const listCallsTool = defineTool({
  name: "list_calls",
  title: "List calls",
  description: "Lists calls that were made or are going on, with their outcome, the newest first.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "calls",
  input: z.strictObject({ ...callFilters, ongoing: flagArgument(callFilters.ongoing), ...pageArguments }),
  output: callsSchema,
  run: async ({ services: { sql }, caller, args }) => await listCalls(sql, caller.companyId, args),
});

export const getCall = defineTool({
  name: "get_call",
  title: "Show a call with its transcript",
  description: "Shows a call with its summary and what was said. Lines of the role `user` are the person's.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "calls",
  input: z.strictObject({ notification_id: idArgument("call", "list_calls") }),
  output: callDetailsSchema,
  run: async ({ services: { sql }, caller: { companyId }, args: { notification_id: callId } }) =>
    await showCall(sql, { companyId, callId }),
});
