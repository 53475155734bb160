import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { requireOneLine } from "./require_one_line.ts";
import { unknownCompany } from "./unknown_company.ts";

export interface NewAgent {
  companyId: string;
  /** The voice platform's id of the agent. */
  providerAgentId: string;
  /** 1 to 200 characters, for people. */
  name: string;
}

/**
 * Lets an agent of the voice platform make a company's calls.
 *
 * @throws {CommandError} `bad_value`, `not_found`, or `already_exists` when the company has the agent
 */
export async function createAgent(
  { sql }: { sql: Sql },
  { companyId, providerAgentId, name }: NewAgent,
): Promise<{ agentId: string }> {
  requireOneLine({ name, "platform's id": providerAgentId });
  const [row] = await refuseOnConstraint(
    sql<{ agentId: string }[]>`
      insert into outbound.voice_agents (company_id, provider_agent_id, name)
      values (${companyId}, ${providerAgentId}, ${name})
      returning id as "agentId"`,
    {
      voice_agents_name_check: () => new CommandError("bad_value", "An agent's name has 1 to 200 characters"),
      voice_agents_provider_check: () =>
        new CommandError("bad_value", "The platform's id of an agent has 1 to 200 characters"),
      voice_agents_company_fkey: () => unknownCompany(companyId),
      voice_agents_provider_key: () =>
        new CommandError("already_exists", `Company ${companyId} has the agent ${providerAgentId} already`),
    },
  );
  return row!;
}
