import { z } from "@hono/zod-openapi";
import { listSenders, senderFilters, sendersSchema } from "../../_shared/http/company/senders.ts";
import { defineTool, pageArguments, READS } from "../tool.ts";

export const listSendersTool = defineTool({
  name: "list_senders",
  title: "List senders and their health",
  description:
    "Lists the company's numbers: whether each may send, why it was stopped, its limits, its quality and the " +
    "platform's last warning.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "senders",
  input: z.strictObject({ ...senderFilters, ...pageArguments }),
  output: sendersSchema,
  run: async ({ services: { sql }, caller, args }) => await listSenders(sql, caller.companyId, args),
});
