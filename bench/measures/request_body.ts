import type { Tenant } from "../setup/tenants.ts";

/** Due in a year: accepting is measured without sending. */
const FAR_AWAY = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 19);

/** A body of `POST /notify` for some contacts, due far away. */
export function requestBody(tenant: Tenant, contacts: number): Record<string, unknown> {
  const numbers = Array.from({ length: contacts }, (_, index) => String(34600000000 + index));
  return { ...notifyBody(tenant, numbers), datetime_sending: FAR_AWAY };
}

/** A body of `POST /notify` for these numbers, due now. */
export function notifyBody({ sender, template }: Tenant, numbers: string[]): Record<string, unknown> {
  const contacts = numbers.map((number) => ({ number, name: "Ana" }));
  return {
    ...(contacts.length === 1 ? { contact: contacts[0] } : { contacts }),
    name_template: template.name,
    language_template: template.language,
    recipient_id: sender.number,
    notification_type: "utility",
    campaign_name: "Bench",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-1001" },
  };
}
