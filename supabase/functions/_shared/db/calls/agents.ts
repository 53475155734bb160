import { afterRow } from "../driver/after_row.ts";
import { type Actor, withoutAudited } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";

export type AgentStatus = "active" | "disabled";

/** One of a company's voice agents. */
export interface VoiceAgent {
  platform_agent_id: string;
  status: AgentStatus;
}

/** Finds the company's agent with this id, ours or the platform's. */
export async function findVoiceAgent(
  sql: Sql,
  { companyId, agentId }: { companyId: string; agentId: string },
): Promise<VoiceAgent | undefined> {
  const [agent] = await sql<VoiceAgent[]>`
    select platform_agent_id, status from outbound.voice_agents
    where company_id = ${companyId} and ${agentId} in (id::text, platform_agent_id)`;
  return agent;
}

export interface NewAgent {
  companyId: string;
  /** The voice platform's id of the agent. */
  platformAgentId: string;
  /** 1 to 200 characters, for people. */
  name: string;
  /** Whether another company may have the platform's agent too. Only the command line says so. */
  isShared?: boolean | undefined;
}

/** An agent as operators see it. */
export interface AgentRow {
  agent_id: string;
  company_id: string;
  /** The voice platform's id of the agent. */
  platform_agent_id: string;
  name: string;
  status: AgentStatus;
  created_at: Date;
}

function agentColumns(sql: Sql) {
  return sql`
    id as agent_id, company_id, platform_agent_id, name, status, created_at`;
}

/** Why an agent was not stored: the company has it already, or it belongs to another company. */
export type AgentConflict = "known" | "of_another_company";

/**
 * Stores an agent and returns it. An agent of the platform belongs to one company, because a conversation with it uses
 * its prompt, its knowledge and its tools.
 */
export async function insertAgent(
  sql: Sql,
  { companyId, platformAgentId, name, isShared = false }: NewAgent,
  by: Actor,
): Promise<AgentRow | AgentConflict> {
  const [row] = await sql<(AgentRow & { audited: string })[]>`
    with added as (
      insert into outbound.voice_agents (company_id, platform_agent_id, name, is_shared)
      select ${companyId}, ${platformAgentId}, ${name}, ${isShared}
      where ${isShared} or not exists (
        select from outbound.voice_agents as v
        where v.platform_agent_id = ${platformAgentId} and v.company_id <> ${companyId}
      )
      on conflict do nothing
      returning *
    )
    select ${agentColumns(sql)}, outbound.write_audit(
      company_id, ${by.actor}, 'agent.created', id::text, null,
      jsonb_build_object('platform_agent_id', platform_agent_id, 'name', name), ${by.requestId ?? null}
    ) as audited from added`;
  if (row) return withoutAudited(row);
  return await findVoiceAgent(sql, { companyId, agentId: platformAgentId }) ? "known" : "of_another_company";
}

export interface AgentPageQuery {
  companyId: string;
  status?: AgentStatus | undefined;
  /** The last agent of the page before. */
  after?: string | undefined;
  limit: number;
}

/** Returns a page of a company's agents, newest first. */
export async function readAgentPage(
  sql: Sql,
  { companyId, status, after, limit }: AgentPageQuery,
): Promise<AgentRow[]> {
  return await sql<AgentRow[]>`
    select ${agentColumns(sql)} from outbound.voice_agents
    where company_id = ${companyId} ${status ? sql`and status = ${status}` : sql``}
      ${afterRow(sql, "voice_agents", { table: "outbound.voice_agents", companyId, after })}
    order by created_at desc, id desc limit ${limit}`;
}

/** Enables or disables an agent and returns it. Undefined when there is none with this id. */
export async function updateAgentStatus(
  sql: Sql,
  { companyId, agentId }: { companyId?: string | undefined; agentId: string },
  status: AgentStatus,
  by: Actor,
): Promise<AgentRow | undefined> {
  const [row] = await sql<(AgentRow & { audited: string })[]>`
    with old as materialized (
      select company_id as of_company, id as of_id, status as old_status from outbound.voice_agents
      where id = ${agentId} ${companyId ? sql`and company_id = ${companyId}` : sql``}
      for no key update
    ),
    changed as (
      update outbound.voice_agents as v set status = ${status}
      from old where v.company_id = of_company and v.id = of_id
      returning v.*, old_status
    )
    select ${agentColumns(sql)}, outbound.audit_change(
      company_id, ${by.actor}, ${status === "active" ? "agent.enabled" : "agent.disabled"}, id::text,
      jsonb_build_object('status', old_status), jsonb_build_object('status', status), ${by.requestId ?? null}
    ) as audited from changed`;
  return row && withoutAudited(row);
}
