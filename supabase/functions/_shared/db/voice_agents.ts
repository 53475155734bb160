import type { Sql } from "./connect.ts";

/** One of a company's voice agents. */
export interface VoiceAgent {
  provider_agent_id: string;
  status: "active" | "disabled";
}

/** The company's agent with this id, ours or the platform's. */
export async function findVoiceAgent(
  sql: Sql,
  { companyId, agentId }: { companyId: string; agentId: string },
): Promise<VoiceAgent | undefined> {
  const [agent] = await sql<VoiceAgent[]>`
    select provider_agent_id, status from outbound.voice_agents
    where company_id = ${companyId} and ${agentId} in (id::text, provider_agent_id)`;
  return agent;
}
