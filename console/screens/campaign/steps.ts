import type { CampaignDetails, Failures } from "../../data/sdk.ts";
import type { Step } from "../../components/charts/funnel.tsx";
import { words } from "../../i18n/words.ts";

/** A step of a campaign, with the filters of the recipients that it counts. */
export interface CampaignStep extends Step {
  recipients?: { status?: string; code?: string };
}

/** Returns how far a campaign came. The shares of messages are of those sent, those of calls of the calls made. */
export function stepsOf(campaign: CampaignDetails, failures: Failures["failures"]): CampaignStep[] {
  const { channel, total, sent, delivered, read, replied } = campaign;
  const names = words().campaign;
  const accepted = { name: names.accepted, value: total };
  if (channel === "voice") {
    const called = { name: names.called, value: calledOf(campaign) };
    const failedBy = (code: string) => failures.find((failure) => failure.code === code)?.count ?? 0;
    return [
      { ...accepted, recipients: {} },
      { ...called, of: accepted },
      ...(sent > delivered
        ? [{ name: names.ringing, value: sent - delivered, of: called, recipients: { status: "sent" } }]
        : []),
      { name: names.pickedUp, value: delivered, of: called, recipients: { status: "delivered" } },
      {
        name: names.busy,
        value: failedBy("busy"),
        of: called,
        recipients: { status: "failed", code: "busy" },
      },
      {
        name: names.notTaken,
        value: failedBy("no_answer"),
        of: called,
        recipients: { status: "failed", code: "no_answer" },
      },
    ];
  }
  const left = { name: names.sent, value: sent };
  return [
    { ...accepted, recipients: {} },
    { ...left, of: accepted, recipients: { status: "sent" } },
    { name: names.delivered, value: delivered, of: left, recipients: { status: "delivered" } },
    { name: names.read, value: read, of: left, recipients: { status: "read" } },
    { name: names.replied, value: replied, of: left },
  ];
}

/** How many calls were made: those that failed rang, or could not be made. */
export function calledOf({ sent, failed }: Pick<CampaignDetails, "sent" | "failed">): number {
  return sent + failed;
}

/** The state of a campaign as it is shown: one whose phones still ring is not over for its member. */
export function shownStatus(
  { channel, status, wait, sent, delivered }: Pick<
    CampaignDetails,
    "channel" | "status" | "wait" | "sent" | "delivered"
  >,
): string {
  if (wait) return "waiting";
  return channel === "voice" && status === "completed" && sent > delivered ? "ringing" : status;
}

/** How many a resend could go to: their failure can pass, and they were not resent to. */
export function resendable(failures: Failures["failures"]): number {
  return failures.filter(({ can_pass }) => can_pass)
    .reduce((sum, { count: failed, resent }) => sum + failed - resent, 0);
}
