import type { JsonObject } from "./http.ts";
import type { TestStack } from "./stack.ts";

/** A body that `POST /notify` accepts, with the fields in `changes` replaced, or taken out where undefined. */
export function notifyBody(
  { sender, template }: Pick<TestStack, "sender" | "template">,
  changes: JsonObject = {},
): JsonObject {
  return {
    contact: { number: "34600111222", name: "Asha" },
    language_template: template.language,
    name_template: template.name,
    recipient_id: sender.number,
    notification_type: "utility",
    campaign_name: "Orders",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
    ...changes,
  };
}
