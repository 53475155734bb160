import {
  acceptNotifications,
  type AcceptRequest,
  type AcceptVerdict,
} from "../../db/queue/accept_notifications.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { type KeyState, readKeyState } from "../../db/queue/send_context.ts";
import type { Refusal } from "../../errors.ts";
import type { Channel, ChannelPlan } from "../channel.ts";
import type { NotificationRequest } from "../notification_request.ts";
import type { CampaignInput } from "../plan_campaign.ts";
import { type CampaignServices, queueCampaign } from "../queue_campaign.ts";
import type { QueueResult } from "../queue_result.ts";

/** The part of a plan that a dry run shows. */
export type DryRunPlan = Pick<ChannelPlan, "batch" | "due" | "category" | "render" | "previews" | "sender">;

/** The outcome of a dry run. */
export type DryRunResult =
  | Exclude<QueueResult, { kind: "queued" }>
  | { kind: "planned"; plan: DryRunPlan; key: KeyState };

/**
 * Makes every check that `queueCampaign` makes, by the same functions, and stores nothing. A single recipient who may not be
 * written to is a failure of the batch here. Counts against the rate of the key like a real request.
 */
export async function dryRunCampaign<Request extends NotificationRequest>(
  services: Omit<CampaignServices, "acceptances" | "newWork">,
  channel: Channel<Request>,
  input: Omit<CampaignInput<Request>, "idempotent">,
): Promise<DryRunResult> {
  const dryServices: CampaignServices = {
    ...services,
    // Rules that were changed a moment ago count.
    sendContexts: {
      ...services.sendContexts,
      find: (query) => ({ value: services.sendContexts.refresh(query), isFresh: true }),
    },
    acceptances: { add: (request) => checkOnly(services.sql, request) },
    newWork: { notify() {} },
  };
  const result = await queueCampaign(dryServices, channel, { ...input, idempotent: null });
  const { key } = result;
  if (result.kind === "queued") return { kind: "planned", plan: result.draft!, key };
  if (result.kind === "refused" && !input.request.bulk && isAboutRecipient(result.refusal)) {
    return { kind: "planned", plan: planOfRefused(input.request, result.refusal), key };
  }
  return result;
}

/** Asks the database whether it would accept a request, and counts the request as storing would have. */
async function checkOnly(sql: Sql, request: AcceptRequest): Promise<AcceptVerdict> {
  const [verdict] = await acceptNotifications(sql, [{ ...request, dry_run: true }]);
  if (verdict!.outcome !== "acceptable") return verdict!;
  if (request.unmetered) return { ...verdict!, outcome: "accepted" };
  const { outcome, remaining, reset_s } = await readKeyState(sql, request.key_hash, 1);
  return { ...verdict!, outcome: outcome === "ok" ? "accepted" : outcome, remaining, reset_s };
}

function isAboutRecipient({ code }: Refusal): boolean {
  return code === "recipient_opted_out" || code === "consent_missing";
}

function planOfRefused({ contacts }: NotificationRequest, { code, message }: Refusal): DryRunPlan {
  const failure = {
    index: 0,
    contact: contacts[0],
    field: "contact",
    code: code as "recipient_opted_out" | "consent_missing",
    reason: message,
  };
  return {
    batch: { notifications: [], failures: [failure], warnings: [] },
    due: null,
    category: null,
    render: null,
    sender: { sender_number: null, sender_limit: null, sender_quality: null },
  };
}
