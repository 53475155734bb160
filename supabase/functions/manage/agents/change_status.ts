import { z } from "@hono/zod-openapi";
import type { Effect } from "../../_shared/access/effects.ts";
import { updateAgentStatus } from "../../_shared/db/calls/agents.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { agentExample, agentSchema } from "./agent_schema.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

export interface AgentSwitch {
  verb: "enable" | "disable";
  summary: string;
  status: "active" | "disabled";
  effect: Effect;
}

/** Adds `POST …/agents/{agent_id}/<verb>`. Calls that wait for a disabled agent fail when they are due. */
export function addAgentSwitch(app: App, { verb, summary, status, effect }: AgentSwitch): void {
  addCompanyRoute(app, {
    method: "post",
    path: `/agents/{agent_id}/${verb}`,
    operationId: `${verb}Agent`,
    summary,
    description:
      "Calls that wait for a disabled agent fail when they are due. A repeated request changes nothing.",
    effect,
    params: z.object({ agent_id: z.guid() }),
    response: { schema: agentSchema, example: { ...agentExample, status } },
  }, async (c, { caller: { companyId, by }, params: { agent_id: agentId } }) => {
    const agent = await updateAgentStatus(c.get("services").sql, { companyId, agentId }, status, by);
    if (agent === undefined) throw new AppError("not_found", "Agent not found");
    return showRow(agentSchema, agent);
  });
}
