import { z } from "@hono/zod-openapi";
import { trimmedLine } from "../../_shared/http/app/shared_schemas.ts";
import { insertAgent } from "../../_shared/db/calls/agents.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { agentExample, agentSchema } from "./agent_schema.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const line = trimmedLine(200);

const CONFLICTS = {
  known: { message: "The company has this agent already", reason: "exists already" },
  of_another_company: {
    message: "This agent belongs to another company; the operator of this service may share it",
    reason: "belongs to another company",
  },
};

/** `POST …/agents` adds an agent of the voice platform, which may then make calls. */
export function registerPostAgents(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/agents",
    operationId: "createAgent",
    summary: "Add a voice agent",
    description: "An agent that the voice platform has, and no other company here.",
    body: {
      schema: z.strictObject({ platform_agent_id: line, name: line }).openapi("AgentRequest"),
      example: { platform_agent_id: agentExample.platform_agent_id, name: agentExample.name },
    },
    response: { schema: agentSchema, example: agentExample },
  }, async (c, { caller: { companyId, by }, body: { platform_agent_id: platformAgentId, name } }) => {
    const agent = await insertAgent(c.get("services").sql, { companyId, platformAgentId, name }, by);
    if (typeof agent !== "string") return showRow(agentSchema, agent);
    const { message, reason } = CONFLICTS[agent];
    throw new AppError("validation_failed", message, { details: { field: "platform_agent_id", reason } });
  });
}
