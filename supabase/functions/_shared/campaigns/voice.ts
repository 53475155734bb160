import { z } from "@hono/zod-openapi";
import type { SendContext, VoiceAgent } from "../db/queue/send_context.ts";
import { AppError } from "../errors.ts";
import { dueTime, utcSeconds } from "../scheduling/due_time.ts";
import {
  type AcceptedCampaign,
  bulkResponse,
  bulkResponseSchema,
  campaignFields,
  prepareBatch,
} from "./batch.ts";
import type { Channel } from "./channel.ts";
import { callContactSchema } from "./notification_request.ts";
import { likelyMistakes } from "./likely_mistakes.ts";
import { scheduleRecipients } from "./recipient_schedule.ts";
import { contactVariables, readVoiceRequest, VOICE_FIELDS, type VoiceRequest } from "./voice_request.ts";

/** Calls made by a company's voice agents. Refuses with `agent_not_found`. */
export const voiceChannel: Channel<VoiceRequest> = {
  name: "voice",
  permission: "voice_notifications",
  endpoint: "notify/voice",
  read: readVoiceRequest,
  plan(request, facts) {
    const { id, isAddition, context, now, recipientVerdicts } = facts;
    const agent = requireAgent(request, context);
    const named = dueTime(request.datetime_sending, request.timezone, isAddition ? null : now);
    const batch = prepareBatch(request, {
      contactSchema: callContactSchema,
      recipientVerdicts,
      addressOf: ({ number }) => ({ number, user_id: null }),
      message: (contact) => ({
        agent_id: agent.platform_agent_id,
        dynamic_variables: contactVariables(contact, request),
      }),
    });
    const due = scheduleRecipients(request, batch, { ...facts, due: named });
    batch.warnings.push(...likelyMistakes({
      request,
      batch,
      knownFields: VOICE_FIELDS,
      values: request.variables,
      senderNumber: context.sender_number,
      hasFlowWebhook: context.has_flow_webhook,
    }));
    return {
      content: {
        template_id: null,
        template_name: null,
        template_language: null,
        template_shape: null,
        agent_id: agent.id,
      },
      batch,
      due,
      response: responseTo(request, { id, batch, due }, now),
      category: null,
      render: null,
      sender: context,
    };
  },
};

function requireAgent({ agent_id }: VoiceRequest, { agent }: SendContext): VoiceAgent {
  if (agent?.status === "active") return agent;
  throw new AppError("agent_not_found", "There is no active voice agent with this id", {
    details: { agent_id },
  });
}

const singleResponseSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  notification_id: z.uuid(),
  scheduled_time: z.iso.datetime().openapi({
    description: "When the call is due; now, if the request names no time",
  }),
  ...campaignFields,
}).openapi("CallAccepted");

/** The response of `POST /notify/voice` once the calls are stored. */
export const voiceResponseSchema = z.union([singleResponseSchema, bulkResponseSchema]);

function responseTo(
  request: VoiceRequest,
  accepted: AcceptedCampaign,
  now: Date,
): z.infer<typeof voiceResponseSchema> {
  if (request.bulk) return bulkResponse(accepted);
  const { id, batch, due } = accepted;
  return {
    success: true,
    message: due ? "Call scheduled" : "Call queued",
    notification_id: batch.notifications[0]!.id,
    scheduled_time: utcSeconds(due ?? now),
    inquiry_set_id: id,
  };
}
