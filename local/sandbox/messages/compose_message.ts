import { PlatformError } from "../http/platform_error.ts";
import type { Platform } from "../platform.ts";
import type { StoredTemplate, TemplateStore } from "../templates/template_store.ts";
import { checkHeaderMedia, renderFreeForm } from "./render_free_form.ts";
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

const UNDELIVERABLE = 131026;
const OUTSIDE_WINDOW = 131047;
const STOPPED_MARKETING = 131050;
const NEEDS_NUMBER = 131062;

/**
 * Fills the template, or returns another message as it is. Like the platform, it accepts what the person will not get,
 * which then fails. Throws the codes of a template that cannot be sent, and of media that do not exist.
 */
export function composeMessage(platform: Platform, send: Send): Composed {
  const { account, number, body, person } = send;
  const { phoneNumberId } = number;
  const unreachable = person.moved_to !== null || person.blocked.includes(phoneNumberId);
  if (body.type !== "template") {
    const isOpen = platform.windows.isOpen(phoneNumberId, person.number, Date.now());
    const { rendered, fails } = renderFreeForm(platform.media, account.wabaId, body);
    return {
      template: null,
      rendered,
      ...failure(unreachable ? UNDELIVERABLE : isOpen ? fails : OUTSIDE_WINDOW),
    };
  }
  const template = findSendableTemplate(platform.templates, account.wabaId, body.template);
  if (template.category === "AUTHENTICATION" && body.to === undefined) {
    throw new PlatformError(NEEDS_NUMBER, "Authentication templates cannot be sent to a user id");
  }
  if (send.edge === "marketing_messages" && template.category !== "MARKETING") {
    throw new PlatformError(
      131009,
      `template: marketing_messages takes no template of category ${template.category}`,
    );
  }
  const components = body.template.components ?? [];
  checkHeaderMedia(platform.media, account.wabaId, components);
  const stopped = template.category === "MARKETING" && person.stopped.includes(phoneNumberId);
  return {
    template,
    rendered: renderMessage(template, components),
    ...failure(unreachable ? UNDELIVERABLE : stopped ? STOPPED_MARKETING : undefined),
  };
}

function failure(code: number | undefined): { fails?: number } {
  return code === undefined ? {} : { fails: code };
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
