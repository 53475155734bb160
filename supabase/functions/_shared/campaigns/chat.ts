import { z } from "@hono/zod-openapi";
import { AppError } from "../errors.ts";
import { dueTime, utcSeconds } from "../scheduling/due_time.ts";
import {
  findUsableTemplate,
  requireMatchingVariables,
  type UsableTemplate,
} from "../templates/find_usable_template.ts";
import { renderMessage, type SentComponent } from "../templates/render_message.ts";
import { kindOfValue } from "../templates/value_names.ts";
import { mediaIdIn } from "../media/media_reference.ts";
import {
  type AcceptedCampaign,
  bulkResponse,
  bulkResponseSchema,
  campaignFields,
  prepareBatch,
} from "./batch.ts";
import type { Channel, ChannelPlan } from "./channel.ts";
import { CHAT_FIELDS, type ChatRequest, readChatRequest } from "./chat_request.ts";
import { requireOpenOffer, valueField } from "./check_value.ts";
import { likelyMistakes } from "./likely_mistakes.ts";
import { chatAddress, contactSchema } from "./notification_request.ts";
import { isReference, lookUp, referredField, resolveForContact } from "./placeholders.ts";
import { scheduleRecipients } from "./recipient_schedule.ts";
import type { Warning } from "./warnings.ts";

/** Messages made of approved templates. Refuses with `template_not_found`, `template_not_approved`, `variable_mismatch`. */
export const chatChannel: Channel<ChatRequest> = {
  name: "whatsapp",
  permission: "chatapp_notifications",
  endpoint: "notify",
  read: readChatRequest,
  plan(request, facts) {
    const { id, isAddition, context, now, recipientVerdicts } = facts;
    const { name_template, language_template, values } = request;
    const template = findUsableTemplate(context.templates ?? [], name_template, language_template);
    requireMatchingVariables(template, Object.keys(values));
    const named = dueTime(request.datetime_sending, request.timezone, isAddition ? null : now);
    const batch = prepareBatch(request, {
      contactSchema,
      recipientVerdicts,
      addressOf: chatAddress,
      message: chatMessages(request, template, named ?? now),
    });
    const due = scheduleRecipients(request, batch, { ...facts, due: named });
    batch.warnings.push(
      ...likelyMistakes({
        request,
        batch,
        knownFields: CHAT_FIELDS,
        values,
        senderNumber: context.sender_number,
        hasFlowWebhook: context.has_flow_webhook,
      }),
      ...templateMistakes(request, template),
    );
    return {
      content: {
        template_id: template.id,
        template_name: name_template,
        template_language: template.language,
        template_shape: template.shape,
        agent_id: null,
      },
      batch,
      media: mediaIn(values),
      due,
      response: responseTo(request, { id, batch, due }),
      category: template.category.toLowerCase(),
      render: (message) => renderMessage(template, message as SentComponent[]),
      sender: context,
    };
  },
};

function mediaIn(values: Record<string, string>): NonNullable<ChannelPlan["media"]> {
  return Object.entries(values).flatMap(([name, value]) => {
    const mediaId = mediaIdIn(value);
    const kind = kindOfValue(name);
    return mediaId === undefined || kind === undefined ? [] : [{ field: valueField(name), mediaId, kind }];
  });
}

/** Makes what is sent to one contact. Throws `user_id_not_supported` and as `messageBuilder` does. */
function chatMessages(
  request: ChatRequest,
  template: UsableTemplate,
  due: Date,
): (contact: Record<string, unknown>) => unknown {
  const build = messageBuilder(request, template, due);
  if (template.category !== "AUTHENTICATION") return build;
  return (contact) => {
    if (contact.number === undefined) throw needsNumber();
    return build(contact);
  };
}

/** The platform sends its codes to numbers only. Source: WhatsApp Cloud API, business-scoped user ids. */
function needsNumber(): AppError {
  return new AppError(
    "user_id_not_supported",
    "An authentication template cannot be sent to a user id: give the contact's number",
    { details: { field: "contact.number", reason: "required by authentication templates" } },
  );
}

/**
 * Makes what is sent to one contact: the platform's `template.components`. Without references it is the same for all,
 * and is made once. Throws `validation_failed` for an offer that ends before `due`.
 */
function messageBuilder(
  request: ChatRequest,
  template: UsableTemplate,
  due: Date,
): (contact: Record<string, unknown>) => unknown {
  const fill = (values: Record<string, string>) => {
    requireOpenOffer(values, due);
    return template.build(values);
  };
  if (request.resolved !== null) {
    const message = fill(request.resolved);
    return () => message;
  }
  const build = (contact: Record<string, unknown>) =>
    fill(resolveForContact(request.values, contact, request.root));
  if (Object.values(request.values).some(isReference)) return build;
  const message = build({});
  return () => message;
}

/** The response for one contact. */
export const singleResponseSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  ...campaignFields,
  scheduled_time: z.iso.datetime().optional(),
}).openapi("NotificationAccepted");

/** The response of `POST /notify` once the notifications are stored. */
export const chatResponseSchema = z.union([singleResponseSchema, bulkResponseSchema]);

function responseTo(
  request: ChatRequest,
  accepted: AcceptedCampaign,
): z.infer<typeof chatResponseSchema> {
  if (request.bulk) return bulkResponse(accepted);
  const { id, due } = accepted;
  return {
    success: true,
    message: due ? "Notification scheduled" : "Notification queued",
    inquiry_set_id: id,
    ...(due && { scheduled_time: utcSeconds(due) }),
  };
}

/** Returns warnings of what is probably a mistake in the use of a template. */
function templateMistakes(request: ChatRequest, template: UsableTemplate): Warning[] {
  return [...typeMistakes(request, template), ...fullUrls(request)];
}

/** The type is for statistics; the category decides whether a message is marketing. */
function typeMistakes({ notification_type }: ChatRequest, { category }: UsableTemplate): Warning[] {
  const isMarketing = category === "MARKETING";
  if (isMarketing === (notification_type === "marketing")) return [];
  const consequence = isMarketing
    ? "the platform bills it as marketing, and it goes only to those who want marketing"
    : "it is no marketing, and goes also to those who want none";
  return [{
    code: "notification_type_differs",
    message: `The type is ${notification_type}, but the template's category is ${category}: ${consequence}`,
    field: "notification_type",
  }];
}

const URL_VALUE = /buttons_url_\d+$/;
const FULL_URL = /^https?:\/\//i;

/** The platform appends the value to the URL of the template's button. */
function fullUrls({ values, contacts, root }: ChatRequest): Warning[] {
  const warnings: Warning[] = [];
  for (const name in values) {
    if (!URL_VALUE.test(name)) continue;
    const value = values[name]!;
    const match = isReference(value)
      ? contactWith(contacts, (contact) => lookUp(referredField(name, value)!, contact, root))
      : { found: FULL_URL.test(value) };
    if (!match.found) continue;
    warnings.push({
      ...(match.index !== undefined && { index: match.index }),
      code: "full_url",
      message:
        "The platform appends the value to the URL of the template: give the end only, not a whole URL",
      field: `components_push.${name}`,
    });
  }
  return warnings;
}

/** Returns the first contact whose value is a full URL. */
function contactWith(
  contacts: unknown[],
  valueOf: (contact: Record<string, unknown>) => unknown,
): { found: boolean; index?: number } {
  const index = contacts.findIndex((contact) =>
    typeof contact === "object" && contact !== null &&
    FULL_URL.test(String(valueOf(contact as Record<string, unknown>)))
  );
  return index < 0 ? { found: false } : { found: true, index };
}
