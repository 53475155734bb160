import type { Conversation, SandboxCall } from "./call.ts";
import { fillVariables, missingReason, missingVariables } from "./fill_variables.ts";
import type { ScriptLine, VoiceAgent } from "./options.ts";
import type { OutboundCall } from "./outbound_call.ts";

/** What follows the first message of an agent that has no script. */
const SCRIPT: ScriptLine[] = [
  { role: "user", message: "Yes, thank you for calling." },
  { role: "agent", message: "You are welcome. Goodbye!" },
];

/** What would be said in a call, the values filled in, and what breaks it before a word is said. */
export function conversationOf({ agent, body }: OutboundCall, call: SandboxCall): Conversation {
  const client = body.conversation_initiation_client_data;
  const values = {
    ...client?.dynamic_variables,
    system__agent_id: call.agent_id,
    system__conversation_id: call.id,
    system__caller_id: call.from,
    system__called_number: call.to,
  };
  const script = [{ role: "agent" as const, message: agent.firstMessage }, ...(agent.script ?? SCRIPT)];
  const lines = script.map(({ role, message }) => ({ role, message: fillVariables(message, values) }));
  const reason = brokenBy(agent, values, client?.conversation_config_override ?? {});
  return { lines, error: reason === null ? null : { code: 1008, reason } };
}

function brokenBy(agent: VoiceAgent, values: Record<string, unknown>, override: object): string | null {
  const overridden = Object.entries(override).find(([, value]) => value !== null && value !== undefined);
  if (overridden !== undefined) return `Override for field '${overridden[0]}' is not allowed by config.`;
  for (
    const [place, text] of [["first message", agent.firstMessage], ["prompt", agent.prompt ?? ""]] as const
  ) {
    const missing = missingVariables(text, values);
    if (missing.length > 0) return missingReason(place, missing);
  }
  return null;
}
