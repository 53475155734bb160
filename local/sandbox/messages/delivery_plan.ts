import type { Settings } from "../settings.ts";
import type { WebhookFault } from "../control/fault.ts";

/** One status a message will reach: when, and at which times it is told by webhook (none, once or more). */
export interface DeliveryStep {
  status: "sent" | "delivered" | "read" | "failed";
  /** Unix milliseconds. */
  at: number;
  /** Unix milliseconds, one for each time the status is told. */
  told: number[];
  error?: number;
}

export interface PlanInput {
  /** Digits of the person's number. The last four can be magic, see `magicNumber`. */
  to: string;
  now: number;
  settings: Pick<Settings, "sent_ms" | "delivered_ms" | "read_ms">;
  fault: WebhookFault;
  /** The code it fails with, whatever its number. */
  fails?: number;
}

const MAGIC_ENDINGS: Readonly<Record<string, { error?: number; unread?: true }>> = {
  "0000": { error: 131026 },
  "0001": { error: 131049 },
  "0002": { unread: true },
};

/** Repeats and late tellings keep this distance, so that they travel in a webhook of their own. */
const GAP_MS = 150;

/** Decides a message's whole life at the moment it is taken. Pure: the same input gives the same plan. */
export function planDelivery({ to, now, settings, fault, fails }: PlanInput): DeliveryStep[] {
  const magic = MAGIC_ENDINGS[to.slice(-4)] ?? {};
  const error = fault.webhook_error ?? fails ?? magic.error;
  const steps = error === undefined
    ? happyPath(now, settings, magic.unread === true)
    : [{ status: "failed" as const, at: now + settings.delivered_ms, told: [], error }];
  return fault.lose ? steps : tell(steps, fault);
}

function happyPath(now: number, settings: PlanInput["settings"], unread: boolean): DeliveryStep[] {
  const sent = now + settings.sent_ms;
  const delivered = Math.max(sent, now + settings.delivered_ms);
  const steps: DeliveryStep[] = [
    { status: "sent", at: sent, told: [] },
    { status: "delivered", at: delivered, told: [] },
    { status: "read", at: Math.max(delivered, now + settings.read_ms), told: [] },
  ];
  return unread ? steps.slice(0, 2) : steps;
}

function tell(steps: DeliveryStep[], fault: WebhookFault): DeliveryStep[] {
  const last = steps.at(-1)!.at;
  return steps.map((step, index) => {
    if (fault.read_without_delivered && step.status === "delivered") return step;
    const first = fault.reorder ? last + (steps.length - 1 - index) * GAP_MS : step.at;
    return { ...step, told: fault.duplicate ? [first, first + GAP_MS] : [first] };
  });
}
