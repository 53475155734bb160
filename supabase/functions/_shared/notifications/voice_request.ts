import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import { type CallVariables, contactVariables, requestVariables } from "./call_variables.ts";
import { callContactSchema, readContact } from "./contact.ts";
import { commonFields, type NestedBody, type NotificationRequest, text } from "./notification_request.ts";

const LONGEST_ID = 200;

const TYPES = ["marketing", "transactional"] as const;

/** What a voice notification says besides its recipients; fields beyond these are told to the agent. */
const voiceFieldsSchema = z.object({
  ...commonFields,
  agent_id: text(LONGEST_ID).openapi({ description: "The voice agent: our id of it, or the platform's" }),
  notification_type: z.enum(TYPES, { error: `one of ${TYPES.join(", ")}` }),
});

type VoiceFields = z.infer<typeof voiceFieldsSchema>;

export interface VoiceRequest extends VoiceFields, NotificationRequest {
  notification_type: VoiceFields["notification_type"];
  /** The request's own fields, for the agent of every call; references are looked up for each contact. */
  variables: CallVariables;
  /** The whole body in nested form, which references look into second. */
  root: Record<string, unknown>;
}

/** The body of `POST /notify/voice`, nested form, for the API document. */
export const voiceRequestSchema = voiceFieldsSchema.extend({
  contact: callContactSchema.optional(),
  contacts: z.array(callContactSchema).min(1).max(100).optional(),
}).catchall(z.union([z.string(), z.number(), z.boolean(), z.null()])).openapi("VoiceNotification");

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(voiceFieldsSchema.shape), "contact", "contacts"]);

/**
 * Reads a voice notification from its nested form.
 *
 * Throws `validation_failed` for everything that is wrong with the request whoever it goes to; in a bulk request a
 * contact that does not fit is left for later.
 */
export function readVoiceRequest(body: NestedBody): VoiceRequest {
  const { root } = body;
  const contact = body.bulk ? null : readContact(callContactSchema, body.contacts[0]);
  const fields = checkFields(voiceFieldsSchema, root);
  const variables = requestVariables(root, KNOWN);
  if (contact) contactVariables(contact, { root, variables });
  return { ...fields, ...body, variables };
}
