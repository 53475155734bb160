import type { Channel } from "../_shared/http/channel.ts";
import { chatMessages } from "../_shared/notifications/chat_message.ts";
import { type ChatRequest, readChatRequest } from "../_shared/notifications/chat_request.ts";
import { contactSchema } from "../_shared/notifications/contact.ts";
import { findUsableTemplate, requireMatchingVariables } from "../_shared/templates/find_usable_template.ts";
import { answerFor } from "./answer.ts";

/** Messages made of approved templates. Refuses with `template_not_found`, `template_not_approved`, `variable_mismatch`. */
export const chatChannel: Channel<ChatRequest> = {
  name: "whatsapp",
  permission: "chatapp_notifications",
  endpoint: "notify",
  read: readChatRequest,
  names: (request) => ({ templateName: request.name_template, agentId: null }),
  choose(request, context) {
    const versions = context.templates ?? [];
    const template = findUsableTemplate(versions, request.name_template, request.language_template);
    requireMatchingVariables(template, Object.keys(request.values));
    return {
      template_id: template.id,
      template_name: request.name_template,
      template_language: template.language,
      template_shape: template.shape,
      agent_id: null,
      rules: { contactSchema, message: chatMessages(request, template) },
    };
  },
  answer: answerFor,
};
