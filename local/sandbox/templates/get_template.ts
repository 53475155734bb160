import { unknownObject } from "../accounts.ts";
import { pickFields } from "../http/pick_fields.ts";
import type { SandboxAccount } from "../options.ts";
import type { Platform } from "../platform.ts";
import { OTHER_TEMPLATE_FIELDS, TEMPLATE_FIELDS, templateView } from "./template_view.ts";

/** `GET /{template_id}`: one template of the token's accounts, or 100/33. */
export function getTemplate(
  platform: Pick<Platform, "templates">,
  accounts: SandboxAccount[],
  id: string,
  fields: string | undefined,
) {
  const found = platform.templates.get(id);
  if (found === undefined || !accounts.some((account) => account.wabaId === found.wabaId)) {
    throw unknownObject(id);
  }
  return pickFields(templateView(found.template), fields, [...TEMPLATE_FIELDS], OTHER_TEMPLATE_FIELDS);
}
