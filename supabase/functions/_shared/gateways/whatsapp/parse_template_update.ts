import { z } from "zod";
import { templateStatus } from "./list_templates.ts";
import { isoTime, keyword, optionalText, text } from "./webhook_values.ts";

/** A change of a template. `components` means only that its parts changed: the event holds some of them. */
export type TemplateChange =
  | { kind: "status"; status: string; reason: string | null; category: string | null }
  | { kind: "quality"; quality: string }
  | { kind: "category"; category: string }
  | { kind: "components" };

/** The platform reviewed a template, or changed it. It is known by account, name and language. */
export interface TemplateEvent {
  wabaId: string;
  /**
   * Null when unknown. The platform sends a JSON integer; one beyond 2^53 has lost digits in parsing, and half an id is
   * worse than none.
   */
  platformTemplateId: string | null;
  name: string;
  /** May be written `en-US` where the platform's list says `en_US`. */
  language: string;
  change: TemplateChange;
  /** When it happened, ISO 8601. */
  at: string;
}

const templateSchema = z.looseObject({
  message_template_id: z.union([text.min(1), z.int().transform(String)]).nullish().catch(undefined),
  message_template_name: text.min(1),
  message_template_language: text.min(1),
});

const statusChangeSchema = z.looseObject({
  event: text.min(1),
  reason: optionalText,
  message_template_category: keyword.nullish().catch(undefined),
  other_info: z.looseObject({ title: text }).nullish().catch(undefined),
});

const qualityChangeSchema = z.looseObject({ new_quality_score: keyword });
/** An advance notice has this shape too; its `new_category` is the one in force. */
const categoryChangeSchema = z.looseObject({ new_category: keyword });
const componentsChangeSchema = z.union([
  z.looseObject({ message_template_element: z.unknown().refine((value) => value !== undefined) }),
  z.looseObject({ message_template_title: z.unknown().refine((value) => value !== undefined) }),
  z.looseObject({ message_template_footer: z.unknown().refine((value) => value !== undefined) }),
  z.looseObject({ message_template_buttons: z.unknown().refine((value) => value !== undefined) }),
]);

/** Reads the value of a change; null when it is about no template, or says nothing that we use. */
export function readTemplate(
  entry: { id: string; time?: number | undefined },
  value: unknown,
  now: Date,
): TemplateEvent | null {
  const parsed = templateSchema.safeParse(value).data;
  const change = readTemplateChange(value);
  if (parsed === undefined || change === null) return null;
  return {
    wabaId: entry.id,
    platformTemplateId: parsed.message_template_id ?? null,
    name: parsed.message_template_name,
    language: parsed.message_template_language,
    change,
    at: isoTime(entry.time, now),
  };
}

function readTemplateChange(value: unknown): TemplateChange | null {
  const status = statusChangeSchema.safeParse(value).data;
  if (status !== undefined) return readStatusChange(status);
  const quality = qualityChangeSchema.safeParse(value).data;
  if (quality !== undefined) return { kind: "quality", quality: quality.new_quality_score };
  const category = categoryChangeSchema.safeParse(value).data;
  if (category !== undefined) return { kind: "category", category: category.new_category };
  return componentsChangeSchema.safeParse(value).success ? { kind: "components" } : null;
}

function readStatusChange(parsed: z.infer<typeof statusChangeSchema>): TemplateChange {
  const title = parsed.other_info?.title;
  // The event of a template's release is not documented; its title is.
  const status = templateStatus(title === "UNPAUSE" ? "APPROVED" : parsed.event);
  const reason = parsed.reason && parsed.reason !== "NONE" ? parsed.reason : title;
  return {
    kind: "status",
    status,
    reason: status === "approved" ? null : reason ?? null,
    category: parsed.message_template_category ?? null,
  };
}
