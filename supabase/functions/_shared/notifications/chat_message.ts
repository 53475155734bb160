import { isReference } from "../placeholders/reference.ts";
import type { UsableTemplate } from "../templates/find_usable_template.ts";
import type { ChatRequest } from "./chat_request.ts";
import { resolveForContact } from "./resolve_for_contact.ts";

/**
 * Makes what is sent to one contact: the platform's `template.components`. Without references it is the same for all,
 * and is made once.
 */
export function chatMessages(
  request: ChatRequest,
  template: UsableTemplate,
): (contact: Record<string, unknown>) => unknown {
  const build = (contact: Record<string, unknown>) =>
    template.build(resolveForContact(request.values, contact, request.root));
  if (Object.values(request.values).some(isReference)) return build;
  const message = build({});
  return () => message;
}
