import type { Command } from "commander";
import type { AgentRow, AgentStatus } from "../../supabase/functions/_shared/db/calls/agents.ts";
import { type Column, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { uuid } from "../terminal/values.ts";
import { createAgent, listAgents, setAgentStatus } from "./actions.ts";

const COLUMNS: Column<AgentRow>[] = [
  ["AGENT", (row) => row.agent_id],
  ["NAME", (row) => row.name],
  ["PROVIDER ID", (row) => row.platform_agent_id],
  ["STATE", (row) => row.status],
];

/** `agent create | list | disable | enable`. */
export function addAgentCommands(program: Command, run: Run): void {
  const agent = program.command("agent").description("manage the voice agents that make calls");
  addCreate(agent, run);
  agent.command("list").description("list voice agents")
    .option("--company <id>", "only this company's", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listAgents(session, { companyId: company });
        return { json: { agents: rows }, text: renderTable(COLUMNS, rows, "No agents yet") };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin agent list --company "$COMPANY"');
  addSwitch(agent, run, {
    verb: "disable",
    status: "disabled",
    description: "let an agent make no more calls; calls that wait for it fail",
    text: "disabled: requests for it are refused, and calls that wait for it fail",
  });
  addSwitch(agent, run, {
    verb: "enable",
    status: "active",
    description: "let an agent make calls again",
    text: "active: it may make calls",
  });
}

interface CreateOptions {
  company: string;
  platformAgentId: string;
  name: string;
  shared?: boolean;
}

function addCreate(agent: Command, run: Run): void {
  agent.command("create").description("add an agent of the voice platform to a company")
    .requiredOption("--company <id>", "the agent's company", uuid)
    .requiredOption("--platform-agent-id <id>", "the platform's id of the agent (agent_id)")
    .requiredOption("--name <name>", "1 to 200 characters, for people")
    .option("--shared", "another company has it too: both may use it")
    .action(({ company, shared: isShared, ...options }: CreateOptions) =>
      run(async (session) => {
        const { agentId } = await createAgent(session, { ...options, companyId: company, isShared });
        return { json: { agent_id: agentId }, text: `Agent ${options.name} created: ${agentId}` };
      })
    )
    .addHelpText(
      "after",
      `
Example:
  deno task admin agent create --company "$COMPANY" --platform-agent-id agent_7101k5zvyjhm \\
    --name "Appointment reminders"`,
    );
}

interface Switch {
  verb: string;
  status: AgentStatus;
  description: string;
  text: string;
}

function addSwitch(agent: Command, run: Run, { verb, status, description, text }: Switch): void {
  agent.command(verb).description(description)
    .argument("<agent-id>", "the agent's id", uuid)
    .action((agentId: string) =>
      run(async (session) => {
        const changed = await setAgentStatus(session, { agentId, status });
        return { json: snakeKeys(changed), text: `Agent ${agentId} is ${text}` };
      })
    )
    .addHelpText("after", `\nExample:\n  deno task admin agent ${verb} "$AGENT"`);
}
