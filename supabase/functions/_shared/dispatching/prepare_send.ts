import { senderTokenOf } from "../crypto/secret_owner.ts";
import type { ClaimedNotification } from "../db/dispatch_queue.ts";
import { sendTemplate } from "../gateways/whatsapp/send_template.ts";
import type { Services } from "../services.ts";
import { openSecret } from "./open_secret.ts";
import { prepareCall } from "./prepare_call.ts";
import type { PreparedSend } from "./prepared_send.ts";
import { tryOf, writeReference } from "./reference.ts";

/** Prepares one leased notification for the gateway of its channel; `send` makes the request at once. */
export async function prepareSend(
  services: Services,
  notification: ClaimedNotification,
): Promise<PreparedSend> {
  if (notification.channel === "voice") return await prepareCall(services, notification);
  const { env } = services;
  const owner = senderTokenOf(notification.company_id, notification.sender_id);
  const token = await openSecret(services, notification.token_sealed, owner);
  if (token.kind === "missing") return missingToken();
  if (token.kind === "unreadable") return token;
  return {
    kind: "ready",
    send: () =>
      sendTemplate(
        { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
        {
          phoneNumberId: notification.provider_id,
          token: token.secret,
          to: notification.number,
          reference: writeReference(tryOf(notification)),
          template: {
            name: notification.template_name!,
            language: notification.template_language!,
            components: notification.message as unknown[],
          },
        },
        { timeoutMs: env.SEND_TIMEOUT_S * 1000 },
      ),
  };
}

/** Nothing leaves this sender until an operator has given it a token. */
function missingToken(): PreparedSend {
  const reason = "The sender has no access token";
  return {
    kind: "refused",
    outcome: { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason },
  };
}
