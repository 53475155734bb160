import type { ClaimedNotification } from "../db/dispatch_queue.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import { sendTemplate } from "../gateways/whatsapp/send_template.ts";
import type { Services } from "../services.ts";
import { placeCall } from "./place_call.ts";
import { tryOf, writeReference } from "./reference.ts";

/** Sends one leased notification through the gateway of its channel. */
export async function sendClaimed(
  services: Services,
  notification: ClaimedNotification,
): Promise<SendOutcome> {
  if (notification.channel === "voice") return await placeCall(services, notification);
  const { env } = services;
  const token = await openToken(services, notification);
  if (token === null) return missingToken();
  return await sendTemplate(
    { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
    {
      phoneNumberId: notification.provider_id,
      token,
      to: notification.number,
      reference: writeReference(tryOf(notification)),
      template: {
        name: notification.template_name!,
        language: notification.template_language!,
        components: notification.message as unknown[],
      },
    },
    { timeoutMs: env.SEND_TIMEOUT_S * 1000 },
  );
}

async function openToken(services: Services, { token_sealed }: ClaimedNotification): Promise<string | null> {
  if (token_sealed === null) return null;
  try {
    return await services.sealer.open(token_sealed);
  } catch {
    return null;
  }
}

/** As if the platform had refused it: nothing leaves this sender until an operator has given it a token. */
function missingToken(): SendOutcome {
  const reason = "The sender has no access token that can be read with this SECRETS_KEY";
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}
