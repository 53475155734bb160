import {
  type AgentRow,
  type AgentStatus,
  insertAgent,
  type NewAgent,
  readAgents,
  updateAgentStatus,
} from "../../supabase/functions/_shared/db/calls/agents.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { CommandError } from "../errors/command_error.ts";
import { refuseOnConstraint, requireCompanies, requireOneLine } from "../errors/refusals.ts";

/**
 * Adds an agent of the voice platform to a company, which may then make calls with it.
 *
 * @throws {CommandError} `bad_value`, `not_found`, `already_exists` when the company has the agent, or `refused` when
 * another company has it
 */
export async function createAgent({ sql }: { sql: Sql }, agent: NewAgent): Promise<{ agentId: string }> {
  requireOneLine({ name: agent.name, "platform's id": agent.platformAgentId });
  const { companyId, platformAgentId } = agent;
  await requireCompanies(sql, companyId);
  const added = await refuseOnConstraint(insertAgent(sql, agent, CLI));
  if (typeof added !== "string") return { agentId: added.agent_id };
  if (added === "known") {
    throw new CommandError("already_exists", `Company ${companyId} has the agent ${platformAgentId} already`);
  }
  throw new CommandError(
    "refused",
    `The agent ${platformAgentId} belongs to another company; --shared lets both use it`,
  );
}

/**
 * Returns the voice agents of one company, or of all.
 *
 * @throws {CommandError} `not_found`
 */
export async function listAgents(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<AgentRow[]> {
  if (companyId) await requireCompanies(sql, companyId);
  return await readAgents(sql, { companyId });
}

/**
 * Enables or disables an agent. Calls that wait for a disabled agent fail when their turn comes; calls under way go on.
 *
 * @throws {CommandError} `not_found`
 */
export async function setAgentStatus(
  { sql }: { sql: Sql },
  { agentId, status }: { agentId: string; status: AgentStatus },
): Promise<{ agentId: string; status: AgentStatus }> {
  if (await updateAgentStatus(sql, { agentId }, status, CLI)) return { agentId, status };
  throw new CommandError("not_found", `No agent with id ${agentId}`);
}
