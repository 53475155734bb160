import { PlatformError } from "../http/platform_error.ts";
import type { Platform } from "../platform.ts";
import type { StoredTemplate, TemplateStore } from "../templates/template_store.ts";
import { type RenderedMessage, renderMessage } from "./render_message.ts";
import type { Send, TemplateSend } from "./send.ts";

/** The message of a send, as the phone shows it. */
export interface Composed {
  /** Null for a message that is no template. */
  template: StoredTemplate | null;
  rendered: RenderedMessage;
  /** The code with which it fails after it was accepted. */
  fails?: number;
}

const OUTSIDE_WINDOW = 131047;

/**
 * Fills the template, or returns the text as it is. Like the platform, it accepts a text outside the 24 hours after the
 * person last wrote, which then fails. Throws the codes of a template that cannot be sent.
 */
export function composeMessage(platform: Platform, { account, number, body, to }: Send): Composed {
  if (body.type === "text") {
    const isOpen = platform.windows.isOpen(number.phoneNumberId, to, Date.now());
    const rendered = { header: null, body: body.text.body, footer: null, buttons: [] };
    return { template: null, rendered, ...(isOpen ? {} : { fails: OUTSIDE_WINDOW }) };
  }
  const template = findSendableTemplate(platform.templates, account.wabaId, body.template);
  return { template, rendered: renderMessage(template, body.template.components ?? []) };
}

/**
 * Finds the approved template of this name and language. Throws 132015 when it is paused, 132016 when it is disabled
 * and 132001 in any other case.
 */
function findSendableTemplate(
  templates: TemplateStore,
  wabaId: string,
  { name, language }: TemplateSend,
): StoredTemplate {
  const template = templates.find(wabaId, name, language.code);
  switch (template?.status) {
    case "APPROVED":
      return template;
    case "PAUSED":
      throw new PlatformError(
        132015,
        `template name (${name}) in ${language.code} is paused for low quality`,
      );
    case "DISABLED":
      throw new PlatformError(132016, `template name (${name}) in ${language.code} is disabled`);
    default:
      throw new PlatformError(132001, `template name (${name}) does not exist in ${language.code}`);
  }
}
