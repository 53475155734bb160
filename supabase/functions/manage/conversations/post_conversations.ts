import { z } from "@hono/zod-openapi";
import { singleResponseSchema } from "../../_shared/campaigns/chat.ts";
import {
  queueSingleMessage,
  readSingleMessage,
  singleMessageFields,
} from "../../_shared/campaigns/single_message.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { idempotencyHeaders, readIdempotencyKey } from "../../_shared/http/body/read_body.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { addCompanyRoute } from "../company_route.ts";

const bodySchema = z.strictObject(singleMessageFields("Conversation")).openapi("StartConversation");

/** `POST …/conversations` begins a conversation with a template. */
export function registerPostConversations(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/conversations",
    operationId: "beginConversation",
    summary: "Begin a conversation with a template",
    description:
      "To a person who has not written for 24 hours, the platform takes templates only. It is `POST /notify` to one person: " +
      "every rule about recipients holds, and it counts for the company's key. The conversation is in the inbox once the " +
      "person replies, and shows what was sent.",
    headers: idempotencyHeaders,
    body: {
      schema: bodySchema,
      example: {
        contact: { number: "34600111222", name: "Ana" },
        recipient_id: "34600000000",
        name_template: "order_update",
        language_template: "en_US",
        notification_type: "utility",
        components_push: { body_text_0: "Ana", body_text_1: "A-1001" },
      },
    },
    response: {
      schema: singleResponseSchema,
      example: {
        success: true,
        message: "Notification queued",
        inquiry_set_id: "0192f8a9-3e4f-7051-8c6d-7e8f9a0b1c2d",
      },
    },
    refusals: [409, 422],
  }, async (c, { caller, body }) => {
    const services = c.get("services");
    const { hash: keyHash } = await requireSendingKey(services.sql, caller);
    return await queueSingleMessage(services, caller, {
      ...readSingleMessage(body, keyHash),
      idempotent: readIdempotencyKey(c, "conversations", JSON.stringify(body)),
      action: "conversation.begun",
    });
  });
}
