import { describeError } from "../errors/error_table.ts";
import type { StoredMessage } from "../messages/message.ts";
import type { DeliveryStep } from "../messages/delivery_plan.ts";

const ERROR_PAGE = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/";

/** One element of `value.statuses`. `at` in unix milliseconds; the platform writes seconds, as text. */
export function statusValue(stored: StoredMessage, step: DeliveryStep, at: number): Record<string, unknown> {
  const { message } = stored;
  const ref = message.biz_opaque_callback_data;
  return {
    id: message.id,
    status: step.status,
    timestamp: String(Math.floor(at / 1000)),
    recipient_id: stored.wa_id,
    ...(ref !== null && stored.echo ? { biz_opaque_callback_data: ref } : {}),
    ...(step.status === "sent" || step.status === "delivered"
      ? { pricing: pricing(message.template?.category ?? "service") }
      : {}),
    ...(step.error === undefined ? {} : { errors: [errorValue(step.error)] }),
  };
}

function pricing(category: string): Record<string, unknown> {
  return { billable: true, pricing_model: "PMP", type: "regular", category: category.toLowerCase() };
}

function errorValue(code: number): Record<string, unknown> {
  const { title } = describeError(code);
  return { code, title, message: title, error_data: { details: `${title} (simulated)` }, href: ERROR_PAGE };
}
