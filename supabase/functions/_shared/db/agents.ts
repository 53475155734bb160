import type { Sql } from "./connect.ts";

export type AgentStatus = "active" | "disabled";

/** One of a company's voice agents. */
export interface VoiceAgent {
  provider_agent_id: string;
  status: AgentStatus;
}

/** Finds the company's agent with this id, ours or the platform's. */
export async function findVoiceAgent(
  sql: Sql,
  { companyId, agentId }: { companyId: string; agentId: string },
): Promise<VoiceAgent | undefined> {
  const [agent] = await sql<VoiceAgent[]>`
    select provider_agent_id, status from outbound.voice_agents
    where company_id = ${companyId} and ${agentId} in (id::text, provider_agent_id)`;
  return agent;
}

export interface NewAgent {
  companyId: string;
  /** The voice platform's id of the agent. */
  providerAgentId: string;
  /** 1 to 200 characters, for people. */
  name: string;
}

/** Stores an agent and returns its id. */
export async function insertAgent(
  sql: Sql,
  { companyId, providerAgentId, name }: NewAgent,
): Promise<{ agentId: string }> {
  const [row] = await sql<{ agentId: string }[]>`
      insert into outbound.voice_agents (company_id, provider_agent_id, name)
      values (${companyId}, ${providerAgentId}, ${name})
      returning id as "agentId"`;
  return row!;
}

/** An agent as operators see it. */
export interface AgentRow extends NewAgent {
  agentId: string;
  status: AgentStatus;
  createdAt: Date;
}

/** Returns the agents of one company, or of all. */
export async function readAgents(
  sql: Sql,
  { companyId }: { companyId?: string | undefined },
): Promise<AgentRow[]> {
  return await sql<AgentRow[]>`
    select id as "agentId", company_id as "companyId", provider_agent_id as "providerAgentId", name, status,
      created_at as "createdAt"
    from outbound.voice_agents
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, created_at, id`;
}

/** Enables or disables an agent. Returns whether there is one with this id. */
export async function updateAgentStatus(sql: Sql, agentId: string, status: AgentStatus): Promise<boolean> {
  const [row] = await sql`
    update outbound.voice_agents set status = ${status} where id = ${agentId} returning id`;
  return row !== undefined;
}
