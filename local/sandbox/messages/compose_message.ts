import type { Platform } from "../platform.ts";
import type { StoredTemplate } from "../templates/template_store.ts";
import { findSendableTemplate } from "./find_sendable_template.ts";
import { type RenderedMessage, renderMessage } from "./render_message.ts";
import type { Send } from "./send.ts";

/** What a send comes to on the phone. */
export interface Composed {
  /** Null for a message that is no template. */
  template: StoredTemplate | null;
  rendered: RenderedMessage;
  /** The code it fails with after it was accepted. */
  fails?: number;
}

const OUTSIDE_WINDOW = 131047;

/**
 * Fills the template, or takes the text as it is. The platform accepts a text outside the 24 hours after the person last
 * wrote as well, and then reports that it failed. Fails with the codes of a template that cannot be sent.
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
