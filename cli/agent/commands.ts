import type { Command } from "commander";
import type { Run } from "../session.ts";
import { uuid } from "../terminal/values.ts";
import { shareAgent } from "./actions.ts";

/** `agent share`. */
export function addAgentCommands(program: Command, run: Run): void {
  const agent = program.command("agent").description("let companies use the same voice agent");
  agent.command("share").description("add an agent of the voice platform that another company has")
    .requiredOption("--company <id>", "the company that gets it", uuid)
    .requiredOption("--platform-agent-id <id>", "the platform's id of the agent (agent_id)")
    .requiredOption("--name <name>", "1 to 200 characters, for people")
    .action(({ company, ...agent }: { company: string; platformAgentId: string; name: string }) =>
      run(async (session) => {
        const { agentId } = await shareAgent(session, { ...agent, companyId: company });
        return { json: { agent_id: agentId }, text: `Agent ${agent.name} added: ${agentId}` };
      })
    )
    .addHelpText(
      "after",
      `
Example:
  deno task admin agent share --company "$COMPANY" --platform-agent-id agent_7101k5zvyjhm \\
    --name "Appointment reminders"`,
    );
}
