import { insertAgent, type NewAgent } from "../../supabase/functions/_shared/db/calls/agents.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { CommandError } from "../errors/command_error.ts";
import { refuseOnConstraint, requireCompanies, requireOneLine } from "../errors/refusals.ts";

/**
 * Adds an agent of the voice platform to a company, whatever other company has it.
 *
 * @throws {CommandError} `bad_value`, `not_found`, or `already_exists` when the company has the agent
 */
export async function shareAgent(
  { sql }: { sql: Sql },
  agent: Omit<NewAgent, "isShared">,
): Promise<{ agentId: string }> {
  requireOneLine({ name: agent.name, "platform's id": agent.platformAgentId });
  const { companyId, platformAgentId } = agent;
  await requireCompanies(sql, companyId);
  const added = await refuseOnConstraint(insertAgent(sql, { ...agent, isShared: true }, CLI));
  if (typeof added !== "string") return { agentId: added.agent_id };
  throw new CommandError("already_exists", `Company ${companyId} has the agent ${platformAgentId} already`);
}
