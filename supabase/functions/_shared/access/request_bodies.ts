/** So much of a body is kept, in characters. */
const MAX_CHARACTERS = 2000;
/** A longer body is not kept at all: secrets are taken out of the whole of it. */
const MAX_READ = 256 * 1024;

/** Names of fields whose values are secrets. */
const SECRET_NAME = /key|token|secret|passw|authori[sz]ation|signature|credential|sealed|cookie|sdp/i;
/** Texts that are secrets wherever they stand: access keys, secrets of webhooks, and tokens. */
const SECRET_TEXT = /(?:outbound_|whsec_|eyJ)[\w.+/=-]{8,}/g;
/** Stands in the place of a secret. */
const HIDDEN = "…";

/** The routes whose bodies are never kept: what an erasure names, and links that open files. */
const NEVER = /^\/manage\/companies\/\{company_id\}\/(contacts\/erase$|media\b)/;
const KEPT = /^\/(notify\b|manage\/companies\/\{company_id\}\/)/;

/** Returns whether the bodies of a route may be kept. */
export function keepsBodies(route: string): boolean {
  return KEPT.test(route) && !NEVER.test(route);
}

/** Returns the beginning of a JSON body without its secrets; null for a body that is empty, too long, or no JSON. */
export function keptBody(text: string): string | null {
  if (text === "" || text.length > MAX_READ) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const isCode = (value as { notification_type?: unknown } | null)?.notification_type === "authentication";
  const shown = JSON.stringify(value, (name, inner) => isSecret(name, isCode) ? HIDDEN : inner);
  return beginning(shown.replaceAll(SECRET_TEXT, HIDDEN));
}

/** Of an authentication message, the values of the template are the code itself. */
function isSecret(name: string, isCode: boolean): boolean {
  return SECRET_NAME.test(name) && !/(^|_)key_id$|^idempotency_key$/i.test(name) ||
    (isCode && name.startsWith("components_"));
}

/** Cuts a text without leaving half of a character. */
function beginning(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "")}${HIDDEN}`;
}
