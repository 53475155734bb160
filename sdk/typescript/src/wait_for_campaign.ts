import type { Client } from "./generated/client/index.ts";
import { getCampaignStatus } from "./generated/sdk.gen.ts";
import type { CampaignStatus } from "./generated/types.gen.ts";
import { OutboundError } from "./outbound_error.ts";
import { pause } from "./pause.ts";

/** How to wait for a campaign. */
export interface WaitOptions {
  /** A status, or a function that says whether to stop waiting. @default {"completed"} */
  until?: CampaignStatus["status"] | ((campaign: CampaignStatus) => boolean);
  /** How long to wait, in milliseconds. @default {600_000} */
  timeoutMs?: number;
  signal?: AbortSignal;
}

const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 5000;

/**
 * Polls a campaign's status until it is what `until` asks for, at first often, then every five seconds. A cancelled
 * campaign ends every wait for a status, because it takes no other one.
 *
 * @throws {OutboundError} `wait_timed_out`, with the last status in `details`
 */
export async function waitForCampaign(
  client: Client,
  campaignId: string,
  { until = "completed", timeoutMs = 600_000, signal }: WaitOptions,
): Promise<CampaignStatus> {
  const isOver = typeof until === "function"
    ? until
    : ({ status }: CampaignStatus) => status === until || status === "cancelled";
  const end = performance.now() + timeoutMs;
  for (let pollMs = FIRST_POLL_MS;; pollMs = Math.min(pollMs * 1.5, MAX_POLL_MS)) {
    const campaign = await getCampaignStatus({
      client,
      query: { campaign_id: campaignId },
      ...(signal && { signal }),
    });
    if (isOver(campaign)) return campaign;
    if (performance.now() + pollMs >= end) throw waitTimedOut(campaign, timeoutMs);
    await pause(pollMs, signal);
  }
}

function waitTimedOut(campaign: CampaignStatus, timeoutMs: number): OutboundError {
  return new OutboundError({
    status: 0,
    code: "wait_timed_out",
    message: `The campaign is still '${campaign.status}' after ${timeoutMs} ms`,
    details: campaign,
  });
}
