import type { SandboxTemplate } from "../options.ts";
import type { StatusChange } from "./set_template_status.ts";
import { TEMPLATE_VARIABLE } from "./template_text.ts";

/** Words that make a UTILITY template an advertisement. */
const ADVERTISING =
  /\b(discounts?|sale|promo(tions?)?|coupons?|special offers?|descuentos?|ofertas?|promoci[oó]n(es)?|rebajas?)\b|\d\s*% (off|de descuento)/i;
/** Addresses that hide where they lead. */
const SHORTENED = /\b(bit\.ly|tinyurl\.com|goo\.gl|t\.co|ow\.ly|is\.gd)\//i;
/** What no business may ask for in a message. */
const IDENTIFIERS =
  /\b(card number|credit card|cvv|pin code|social security|passport number|n[uú]mero de tarjeta)\b/i;

/**
 * What the reviewers say. A small and always equal part of the platform's rules, those that it checks after taking a
 * template: the first that applies rejects.
 *
 * - INVALID_FORMAT: a brace that belongs to no variable
 * - TAG_CONTENT_MISMATCH: a UTILITY template that advertises
 * - SCAM: a shortened address
 * - ABUSIVE_CONTENT: it asks for a card number or the like
 */
export function reviewVerdict(template: SandboxTemplate): StatusChange {
  const reason = rejection(template);
  return reason === undefined ? { status: "APPROVED" } : { status: "REJECTED", reason };
}

function rejection({ category, components }: SandboxTemplate): string | undefined {
  const texts = components.flatMap(({ text, buttons = [] }) => [
    text ?? "",
    ...buttons.flatMap((button) => [button.text ?? "", button.url ?? ""]),
  ]);
  if (texts.some((text) => /[{}]/.test(text.replaceAll(TEMPLATE_VARIABLE, "")))) return "INVALID_FORMAT";
  const all = texts.join("\n");
  if (category === "UTILITY" && ADVERTISING.test(all)) return "TAG_CONTENT_MISMATCH";
  if (SHORTENED.test(all)) return "SCAM";
  return IDENTIFIERS.test(all) ? "ABUSIVE_CONTENT" : undefined;
}
