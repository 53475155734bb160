import { z } from "@hono/zod-openapi";
import { readAgentPage } from "../../_shared/db/calls/agents.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { addCompanyRoute } from "../company_route.ts";
import { agentExample, agentSchema } from "./agent_schema.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `GET …/agents` lists the voice agents of a company, newest first. */
export function registerGetAgents(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/agents",
    operationId: "listAgents",
    summary: "List voice agents",
    query: z.object({
      status: z.enum(["active", "disabled"], { error: "active or disabled" }).optional(),
      ...pageFields,
    }),
    response: {
      schema: z.object({ agents: z.array(agentSchema), ...listFields }).openapi("Agents"),
      example: { agents: [agentExample], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readAgentPage(c.get("services").sql, { companyId, ...query });
    return {
      agents: rows.map((row) => showRow(agentSchema, row)),
      next: nextOf(rows, query.limit, "agent_id"),
    };
  });
}
