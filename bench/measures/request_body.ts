import type { Tenant } from "../setup/tenants.ts";

/** Due in a year: accepting is measured without sending. */
const FAR_AWAY = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 19);

/** A body of `POST /notify` for some contacts. */
export function requestBody({ sender, template }: Tenant, contacts: number): Record<string, unknown> {
  const recipients = Array.from({ length: contacts }, (_, index) => ({
    number: String(34600000000 + index),
    name: "Ana",
  }));
  return {
    ...(contacts === 1 ? { contact: recipients[0] } : { contacts: recipients }),
    name_template: template.name,
    language_template: template.language,
    recipient_id: sender.number,
    notification_type: "utility",
    campaign_name: "Bench",
    datetime_sending: FAR_AWAY,
    components_push: { body_text_0: "{{name}}", body_text_1: "A-1001" },
  };
}
