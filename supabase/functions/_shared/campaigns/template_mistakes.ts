import type { UsableTemplate } from "../templates/find_usable_template.ts";
import type { ChatRequest } from "./chat_request.ts";
import { isReference, lookUp, referredField } from "./placeholders.ts";
import type { Warning } from "./warnings.ts";

/** Returns warnings of what is probably a mistake in the use of a template. */
export function templateMistakes(request: ChatRequest, template: UsableTemplate): Warning[] {
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
    const place = isReference(value)
      ? contactWith(contacts, (contact) => lookUp(referredField(name, value)!, contact, root))
      : { found: FULL_URL.test(value) };
    if (!place.found) continue;
    warnings.push({
      ...(place.index !== undefined && { index: place.index }),
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
