import { z } from "zod";
import type { ClaimedNotification } from "../db/dispatch_queue.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import { startCall } from "../gateways/voice/start_call.ts";
import { sendTemplate } from "../gateways/whatsapp/send_template.ts";
import type { Services } from "../services.ts";
import { referenceOf, writeReference } from "./reference.ts";

/** Sends one claimed notification through the gateway of its channel. The request leaves before this returns. */
export function send(
  services: Pick<Services, "env">,
  notification: ClaimedNotification,
  token: string,
): Promise<SendOutcome> {
  const sendByChannel = notification.channel === "voice" ? sendCall : sendChat;
  return sendByChannel(services, notification, token);
}

async function sendChat(
  { env }: Pick<Services, "env">,
  notification: ClaimedNotification,
  token: string,
): Promise<SendOutcome> {
  return await sendTemplate(
    { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
    {
      phoneNumberId: notification.provider_id,
      token,
      to: notification.number,
      reference: writeReference(referenceOf(notification)),
      template: {
        name: notification.template_name!,
        language: notification.template_language!,
        components: notification.message as unknown[],
      },
    },
    { timeoutMs: env.SEND_TIMEOUT_S * 1000 },
  );
}

/** The message of a call, as `POST /notify/voice` stores it. */
const callSchema = z.object({
  agent_id: z.string(),
  dynamic_variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

async function sendCall(
  { env }: Pick<Services, "env">,
  notification: ClaimedNotification,
  apiKey: string,
): Promise<SendOutcome> {
  const { agent_id, dynamic_variables } = callSchema.parse(notification.message);
  return await startCall(
    { apiUrl: env.ELEVENLABS_API_URL },
    {
      apiKey,
      phoneNumberId: notification.provider_id,
      agentId: agent_id,
      to: notification.number,
      reference: writeReference(referenceOf(notification)),
      dynamicVariables: dynamic_variables,
    },
    { timeoutMs: env.SEND_TIMEOUT_S * 1000 },
  );
}
