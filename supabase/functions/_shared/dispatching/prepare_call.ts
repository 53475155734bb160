import { z } from "zod";
import { senderTokenOf } from "../crypto/secret_owner.ts";
import type { ClaimedNotification } from "../db/dispatch_queue.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import { startCall } from "../gateways/voice/start_call.ts";
import type { Services } from "../services.ts";
import type { PreparedSend } from "./prepared_send.ts";
import { tryOf, writeReference } from "./reference.ts";
import { voiceApiKey } from "./voice_api_key.ts";

/** What E8 stores for a call. */
const messageSchema = z.object({
  agent_id: z.string(),
  dynamic_variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** Prepares one leased call; `send` has the platform make it. */
export async function prepareCall(
  services: Services,
  notification: ClaimedNotification,
): Promise<PreparedSend> {
  if (notification.agent_disabled) return { kind: "refused", outcome: disabledAgent() };
  const { env } = services;
  const owner = senderTokenOf(notification.company_id, notification.sender_id);
  const apiKey = await voiceApiKey(services, notification.token_sealed, owner);
  if (apiKey.kind === "missing") return { kind: "refused", outcome: missingKey() };
  if (apiKey.kind === "unreadable") return apiKey;
  const { agent_id, dynamic_variables } = messageSchema.parse(notification.message);
  return {
    kind: "ready",
    send: () =>
      startCall(
        { apiUrl: env.ELEVENLABS_API_URL },
        {
          apiKey: apiKey.secret,
          phoneNumberId: notification.provider_id,
          agentId: agent_id,
          to: notification.number,
          reference: writeReference(tryOf(notification)),
          dynamicVariables: dynamic_variables,
        },
        { timeoutMs: env.SEND_TIMEOUT_S * 1000 },
      ),
  };
}

/** As if the platform had refused it: nothing leaves this sender until an operator has given it a key. */
function missingKey(): SendOutcome {
  const reason = "The sender has no API key, and ELEVENLABS_API_KEY is not set";
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}

/** As if the platform had refused it for good: what the agent was queued for is over, whoever enables it again. */
function disabledAgent(): SendOutcome {
  const reason = "The voice agent was disabled before the call was made";
  return { kind: "refused", action: "fail", code: "agent_disabled", httpStatus: 0, reason };
}
