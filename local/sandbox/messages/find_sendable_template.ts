import { PlatformError } from "../errors/platform_error.ts";
import type { StoredTemplate, TemplateStore } from "../templates/template_store.ts";
import type { TemplateSend } from "./send_body.ts";

/**
 * The approved template of this name and language. Fails with 132015 when it is paused, 132016 when it is
 * disabled and 132001 when there is none or it is in any other state.
 */
export function findSendableTemplate(
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
