import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";

export type AgentStatus = "active" | "disabled";

/**
 * Lets an agent make calls, or no more of them. What is queued with a disabled agent fails as its turn comes; what is
 * ringing or talking goes on.
 *
 * @throws {CommandError} `not_found`
 */
export async function setAgentStatus(
  { sql }: { sql: Sql },
  { agentId, status }: { agentId: string; status: AgentStatus },
): Promise<{ agentId: string; status: AgentStatus }> {
  const [row] = await sql`
    update outbound.voice_agents set status = ${status} where id = ${agentId} returning id`;
  if (!row) throw new CommandError("not_found", `No agent with id ${agentId}`);
  return { agentId, status };
}
