import { z } from "@hono/zod-openapi";
import { audienceSchema, readAudience } from "../../audiences/audience.ts";
import { checkFields } from "../../check_fields.ts";
import { AppError, badFormat } from "../../errors.ts";
import { kindOfValue } from "../../templates/value_names.ts";
import { TIMING_FORMS } from "../../scheduling/recipient_time.ts";
import type { Channel } from "../channel.ts";
import { chatChannel } from "../chat.ts";
import { chatFieldsSchema } from "../chat_request.ts";
import { type NotificationRequest, text } from "../notification_request.ts";
import { referredField } from "../placeholders.ts";
import { valueField } from "../check_value.ts";
import { isPhoneCountry } from "../../rows/phone_cell.ts";
import { voiceChannel } from "../voice.ts";
import { voiceFieldsSchema } from "../voice_request.ts";

const MAX_COLUMNS = 100;
/** A field of a contact or a value of the template; or `metadata.` and a key, such as the name of a column. */
const FIELD = /^(metadata\.\P{Cc}{1,100}|[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ -]{0,99})$/u;
const FIELD_FORMAT = "a contact's field, a value of the template, or metadata.<key>, by name";

const uploadFields = {
  columns: z.record(
    z.string().regex(FIELD, FIELD_FORMAT),
    text(200),
  ).refine((columns) => Object.keys(columns).length <= MAX_COLUMNS, `at most ${MAX_COLUMNS} columns`).openapi(
    {
      description:
        "The column of the file that fills each field. A field is one of a contact (number, user_id, name, or " +
        "your own, to which {{field}} refers), a value of the template (body_text_0), or metadata.<key>, which is a column " +
        "of the recipients' file too. Other columns are not used. With an audience, a column is name, language, " +
        "timezone, country, email or attribute.<name>",
      type: "object",
      additionalProperties: { type: "string" },
    },
  ),
  duplicates: z.enum(["refuse", "accept"], { error: "refuse or accept" }).default("refuse").openapi({
    description:
      "What becomes of rows whose recipient an earlier row of the file has: refused, or sent as well",
  }),
  country: z.string().refine(isPhoneCountry, "a country's two letters, such as ES").optional().openapi({
    description:
      "Of numbers that the file has without a country code, by its two letters; the country of the sender's number if " +
      "left out",
    example: "ES",
  }),
  audience: audienceSchema.optional(),
  file_name: text(200).optional().openapi({
    description: "Of the file, for people: it is shown with the campaign",
    example: "june.csv",
  }),
};

/** The body of `POST …/uploads`: that of a notification request without its contacts, and the columns of the file or audience. */
export const uploadPlanSchema = z.discriminatedUnion("channel", [
  chatFieldsSchema.extend({ channel: z.literal("whatsapp"), ...uploadFields }).catchall(z.unknown())
    .openapi("ChatUpload"),
  voiceFieldsSchema.extend({ channel: z.literal("voice"), ...uploadFields }).catchall(z.unknown())
    .openapi("VoiceUpload"),
], { error: "whatsapp or voice" });

/** The content of an upload besides its rows, as it is stored. */
export interface UploadPlan {
  channel: "whatsapp" | "voice";
  /** The fields of a notification request besides its contacts. */
  fields: Record<string, unknown>;
  /** The file's column, by field. */
  columns: Record<string, string>;
  duplicates: "refuse" | "accept";
  /** Of numbers without a country code; null where the sender's number shows none. */
  country: string | null;
  /** Stored contacts to send to; null where a file has the recipients. */
  audience: z.infer<typeof audienceSchema> | null;
  /** The name of the file, and that of the list when the upload was made; null where there is none. */
  file_name: string | null;
  list_name: string | null;
}

/**
 * Reads the plan of an upload. A value of the template that a column fills becomes a reference to it.
 *
 * Throws `validation_failed` for a file without recipients, a value that is given twice, and a reference to nothing.
 */
export function readUploadPlan(given: z.infer<typeof uploadPlanSchema>): UploadPlan {
  const {
    channel,
    columns: named,
    duplicates,
    country = null,
    audience = null,
    file_name = null,
    ...fields
  } = given;
  for (const name of ["contact", "contacts"]) {
    if (name in fields) throw badFormat(name, "", "no contacts: the file or the audience has them");
  }
  requireTiming(fields);
  if (audience !== null && file_name !== null) {
    throw badFormat("file_name", file_name, "nothing: the audience has no file");
  }
  if (audience !== null) readAudience(audience, "audience");
  const columns = audience === null ? withRecipient(named) : ofContacts(channel, named);
  const plan = {
    channel,
    fields: withValues(channel, fields, columns),
    columns,
    duplicates,
    country,
    audience,
    file_name,
    list_name: null,
  };
  requireSources(plan);
  return plan;
}

/** Of these names, an upload has no fields of its own: it would be sent at one time. Throws `validation_failed`. */
export function requireTiming(fields: Record<string, unknown>): void {
  for (const [name, { isMet, form }] of Object.entries(TIMING_FORMS)) {
    const value = fields[name];
    if (value !== undefined && value !== null && !isMet(value)) throw badFormat(name, value, form);
  }
}

function withRecipient(columns: Record<string, string>): Record<string, string> {
  if (["number", "user_id"].some((field) => Object.hasOwn(columns, field))) return columns;
  throw badFormat("columns.number", "", "the column of the recipients' numbers, or columns.user_id");
}

const CONTACT_COLUMN = /^(name|language|timezone|country|email|attribute\..+)$/su;

/** Adds the addresses of contacts to the columns. Throws for a column that contacts do not have. */
function ofContacts(channel: UploadPlan["channel"], columns: Record<string, string>): Record<string, string> {
  for (const [field, column] of Object.entries(columns)) {
    if (field === "number" || field === "user_id") {
      throw badFormat(
        `columns.${field}`,
        column,
        "nothing: the contacts of the audience have their addresses",
      );
    }
    if (CONTACT_COLUMN.test(column)) continue;
    throw badFormat(
      `columns.${field}`,
      column,
      "name, language, timezone, country, email or attribute.<name>",
    );
  }
  return { number: "number", ...channel === "whatsapp" && { user_id: "user_id" }, ...columns };
}

function withValues(
  channel: UploadPlan["channel"],
  fields: Record<string, unknown>,
  columns: Record<string, string>,
): Record<string, unknown> {
  if (channel === "voice") return fields;
  const fixed = (fields.components_push ?? {}) as Record<string, unknown>;
  const filled = Object.keys(columns).filter((name) => kindOfValue(name) !== undefined);
  const twice = filled.find((name) => name in fixed);
  if (twice !== undefined) throw badFormat(`columns.${twice}`, columns[twice], "either a column or a value");
  const references = Object.fromEntries(filled.map((name) => [name, `{{${name}}}`]));
  return { ...fields, components_push: { ...fixed, ...references } };
}

/** Throws for values that refer to what neither a column nor the request has: every row would be refused for it. */
function requireSources({ fields, columns }: UploadPlan): void {
  const unmapped = Object.entries((fields.components_push ?? {}) as Record<string, string | null>)
    .filter(([name, value]) => {
      const field = value === null ? undefined : referredField(valueField(name), value);
      return field !== undefined && ![columns, fields].some((given) => Object.hasOwn(given, field));
    }).map(([name]) => valueField(name));
  if (unmapped.length === 0) return;
  throw new AppError(
    "validation_failed",
    `No column and no field fills ${unmapped.join(", ")}: name the columns in 'columns'`,
    { details: { field: unmapped[0], reason: "refers to a field that no column fills", unmapped } },
  );
}

/** A plan as a notification request without contacts, and its channel. */
export interface PlannedRequest {
  channel: Channel<NotificationRequest>;
  request: NotificationRequest;
}

/** Returns the request that each batch of an upload repeats with its contacts. Throws `validation_failed`. */
export function requestOf({ channel: name, fields }: Pick<UploadPlan, "channel" | "fields">): PlannedRequest {
  // Either one reads the requests that it plans.
  const channel = (name === "voice" ? voiceChannel : chatChannel) as unknown as Channel<NotificationRequest>;
  return { channel, request: channel.read({ root: fields, bulk: true, contacts: [] }) };
}

const storedSchema = z.object({
  channel: z.enum(["whatsapp", "voice"]),
  fields: z.record(z.string(), z.unknown()),
  columns: z.record(z.string(), z.string()),
  duplicates: z.enum(["refuse", "accept"]),
  country: z.string().nullable(),
  audience: audienceSchema.nullable().default(null),
  file_name: z.string().nullable().default(null),
  list_name: z.string().nullable().default(null),
});

/** Reads a plan as it is stored. */
export function readStoredPlan(stored: unknown): UploadPlan {
  return checkFields(storedSchema, stored);
}
