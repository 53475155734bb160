import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { AgentStatus } from "./set_agent_status.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface AgentRow {
  agentId: string;
  companyId: string;
  /** The voice platform's id of it. */
  providerAgentId: string;
  name: string;
  status: AgentStatus;
  createdAt: Date;
}

/**
 * The voice agents of one company, or of all.
 *
 * @throws {CommandError} `not_found`
 */
export async function listAgents(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<AgentRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<AgentRow[]>`
    select id as "agentId", company_id as "companyId", provider_agent_id as "providerAgentId", name, status,
      created_at as "createdAt"
    from outbound.voice_agents
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, created_at, id`;
}
