import { z } from "zod";
import type { ClaimedNotification } from "../db/queue/dispatch_queue.ts";
import { ConnectionPool } from "../gateways/http1/connection_pool.ts";
import type { SendOutcome } from "../gateways/send_outcome.ts";
import { startCall } from "../gateways/voice/start_call.ts";
import { sendTemplate } from "../gateways/whatsapp/send_template.ts";
import { MediaRefusedError, withPlatformMedia } from "../media/platform_media.ts";
import type { Services } from "../services.ts";
import { referenceOf, writeReference } from "./reference.ts";

/** The part of a dispatcher that sending needs. */
export interface SendServices {
  env: Services["env"];
  /** Undefined where `fetch` must be used. */
  connections: ConnectionPool | undefined;
  tracing: Pick<Services["tracing"], "current">;
  platformMedia: Pick<Services["platformMedia"], "get">;
}

/** Sends what was prepared, within OUTBOUND_SEND_TIMEOUT_S, unless `isLate` the moment before it would leave. */
export type Send = (isLate: () => boolean) => Promise<SendOutcome>;

/** Prepares one claimed notification for the gateway of its channel. What throws here was never sent. */
export function prepareSend(services: SendServices, notification: ClaimedNotification, token: string): Send {
  const prepareByChannel = notification.channel === "voice" ? prepareCall : prepareChat;
  return prepareByChannel(services, notification, token);
}

/** Opens the connections to the platforms; the caller closes them. Undefined where only `fetch` leads to the platforms. */
export function openConnectionPool(env: Services["env"]): ConnectionPool | undefined {
  const isProxied = Boolean(env.HTTPS_PROXY || env.HTTP_PROXY || env.ALL_PROXY);
  return isProxied || !ConnectionPool.isSupported() ? undefined : new ConnectionPool();
}

function prepareChat(
  { env, connections, tracing, platformMedia }: SendServices,
  notification: ClaimedNotification,
  token: string,
): Send {
  const { company_id: companyId, sender_id: senderId } = notification;
  const find = (mediaId: string) => platformMedia.get({ companyId, senderId, mediaId });
  return async (isLate) => {
    const components = await withPlatformMedia(notification.message as unknown[], find).catch(outcomeOfMedia);
    if (!Array.isArray(components)) return components;
    return await sendTemplate(
      { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION, connections },
      {
        phoneNumberId: notification.platform_id,
        token,
        to: notification,
        reference: writeReference({ ...referenceOf(notification), span: tracing.current() }),
        edge: notification.by_marketing_endpoint ? "marketing_messages" : "messages",
        template: {
          name: notification.template_name!,
          language: notification.template_language!,
          components,
        },
      },
      { timeoutMs: env.OUTBOUND_SEND_TIMEOUT_S * 1000, isLate },
    );
  };
}

/** Returns what a message comes to whose file the platform did not get. */
export function outcomeOfMedia(error: unknown): SendOutcome {
  if (error instanceof MediaRefusedError) return error.outcome;
  // It has not left: whatever failed, the message may be sent later.
  return { kind: "not_sent", reason: "The file of the message could not be prepared" };
}

/** The message of a call, as `POST /notify/voice` stores it. */
const callSchema = z.object({
  agent_id: z.string(),
  // As it is: a record of zod's leaves out a variable named `__proto__`.
  dynamic_variables: z.custom<Record<string, string | number | boolean>>((value) =>
    typeof value === "object" && value !== null
  ),
});

function prepareCall(
  { env, connections, tracing }: SendServices,
  notification: ClaimedNotification,
  apiKey: string,
): Send {
  const { agent_id, dynamic_variables } = callSchema.parse(notification.message);
  return (isLate) =>
    startCall(
      { apiUrl: env.ELEVENLABS_API_URL, connections },
      {
        apiKey,
        phoneNumberId: notification.platform_id,
        agentId: agent_id,
        to: notification.number!,
        reference: writeReference(referenceOf(notification)),
        tracedReference: writeReference({ ...referenceOf(notification), span: tracing.current() }),
        dynamicVariables: dynamic_variables,
      },
      { timeoutMs: env.OUTBOUND_SEND_TIMEOUT_S * 1000, isLate },
    );
}
