import { fateOfNumber } from "../../../supabase/functions/_shared/gateways/magic_numbers.ts";
import type { Settings } from "../settings.ts";
import type { WebhookFault } from "./send_fault.ts";

/** One status that a message will reach, its time and the times of its webhooks. */
export interface DeliveryStep {
  status: "sent" | "delivered" | "read" | "failed";
  /** Unix milliseconds. */
  at: number;
  /** Unix milliseconds, one for each webhook that reports the status. */
  webhooks: number[];
  error?: number;
}

export interface PlanInput {
  /** The digits of the recipient's number. The last four can decide the outcome, see `fateOfNumber`. */
  to: string;
  now: number;
  settings: Pick<Settings, "sent_ms" | "delivered_ms" | "read_ms">;
  fault: WebhookFault;
  /** The type of the message. The platform reports of a reaction only that it was sent. */
  type: string;
  /** The code with which it fails, whatever its number. */
  fails?: number;
}

/** The distance of repeated and late webhooks, so that each travels in a request of its own. */
const GAP_MS = 150;

/** Plans all statuses of a message when it is accepted. Pure: the same input returns the same plan. */
export function planDelivery({ to, now, settings, fault, type, fails }: PlanInput): DeliveryStep[] {
  const magic = fateOfNumber(to);
  const error = fault.webhook_error ?? fails ?? magic.error;
  const steps = error === undefined
    ? happyPath(now, settings).slice(0, type === "reaction" ? 1 : magic.unread ? 2 : 3)
    : [{ status: "failed" as const, at: now + settings.delivered_ms, webhooks: [], error }];
  return fault.lose ? steps : withWebhooks(steps, fault);
}

function happyPath(now: number, settings: PlanInput["settings"]): DeliveryStep[] {
  const sent = now + settings.sent_ms;
  const delivered = Math.max(sent, now + settings.delivered_ms);
  return [
    { status: "sent", at: sent, webhooks: [] },
    { status: "delivered", at: delivered, webhooks: [] },
    { status: "read", at: Math.max(delivered, now + settings.read_ms), webhooks: [] },
  ];
}

function withWebhooks(steps: DeliveryStep[], fault: WebhookFault): DeliveryStep[] {
  const last = steps.at(-1)!.at;
  return steps.map((step, index) => {
    if (fault.read_without_delivered && step.status === "delivered") return step;
    const first = fault.reorder ? last + (steps.length - 1 - index) * GAP_MS : step.at;
    return { ...step, webhooks: fault.duplicate ? [first, first + GAP_MS] : [first] };
  });
}
