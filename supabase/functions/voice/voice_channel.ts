import type { SendContext, VoiceAgent } from "../_shared/db/send_context.ts";
import { AppError } from "../_shared/errors.ts";
import type { Channel } from "../_shared/http/channel.ts";
import { contactVariables } from "../_shared/notifications/call_variables.ts";
import { callContactSchema } from "../_shared/notifications/contact.ts";
import { readVoiceRequest, type VoiceRequest } from "../_shared/notifications/voice_request.ts";
import { answerFor } from "./answer.ts";

/** Calls made by a company's voice agents. Refuses with `agent_not_found`. */
export const voiceChannel: Channel<VoiceRequest> = {
  name: "voice",
  permission: "voice_notifications",
  endpoint: "notify/voice",
  read: readVoiceRequest,
  names: (request) => ({ templateName: null, agentId: request.agent_id }),
  choose(request, context) {
    const agent = requireAgent(request, context);
    return {
      template_id: null,
      template_name: null,
      template_language: null,
      template_shape: null,
      agent_id: agent.id,
      rules: {
        contactSchema: callContactSchema,
        message: (contact) => ({
          agent_id: agent.providerAgentId,
          dynamic_variables: contactVariables(contact, request),
        }),
      },
    };
  },
  answer: answerFor,
};

function requireAgent({ agent_id }: VoiceRequest, { agent }: SendContext): VoiceAgent {
  if (agent?.status === "active") return agent;
  throw new AppError("agent_not_found", "There is no active voice agent with this id", {
    details: { agent_id },
  });
}
