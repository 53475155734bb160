import type { Campaign } from "../../data/sdk.ts";
import { Progress } from "../../components/charts/progress.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { Time } from "../../components/time.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { describeWait } from "../../components/wait.ts";
import { calledOf, shownStatus } from "../campaign/steps.ts";
import { count, percent } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** The columns of a table of these campaigns: calls are picked up, messages delivered. */
export function campaignColumns(rows: Campaign[] = []): Column<Campaign>[] {
  const names = words().campaigns;
  const hasCalls = rows.some(({ channel }) => channel === "voice");
  const hasMessages = rows.some(({ channel }) => channel !== "voice");
  const reached = !hasCalls ? names.delivered : hasMessages ? names.reached : words().campaign.pickedUp;
  return [
    { name: "name", title: names.name, cell: nameOf, sortBy: nameOf },
    {
      name: "status",
      title: names.status,
      width: "128px",
      cell: (campaign) => (
        <span title={campaign.wait ? describeWait(campaign.wait, campaign.pending) : undefined}>
          <StatusBadge of="campaign" status={shownStatus(campaign)} />
        </span>
      ),
    },
    {
      name: "channel",
      title: names.channel,
      width: "96px",
      from: "full",
      cell: ({ channel }) => words().common.channels[channel],
    },
    {
      name: "progress",
      title: names.progress,
      width: "152px",
      from: "medium",
      cell: (campaign) => (
        <div class="progress-cell">
          <span>{names.doneOf(count(doneOf(campaign)), count(campaign.total))}</span>
          <Progress
            label={names.progress}
            done={doneOf(campaign)}
            bad={campaign.failed}
            whole={campaign.total}
          />
        </div>
      ),
      sortBy: ({ total }) => total,
    },
    {
      ...number("delivered", reached, "wide"),
      cell: deliveredShare,
      sortBy: (campaign) => campaign.delivered / (leftOf(campaign) || 1),
    },
    {
      ...number("read", names.read, "wide"),
      cell: ({ channel, read, sent }) => channel === "voice" ? "–" : share(read, sent, names.ofSent),
      sortBy: ({ read, sent }) => read / (sent || 1),
    },
    number("failed", names.failed, "medium"),
    {
      name: "start",
      title: names.start,
      width: "196px",
      from: "medium",
      align: "end",
      cell: (campaign) => <StartTime campaign={campaign} />,
      sortBy: (campaign) => startOf(campaign) ?? "",
    },
    timeColumn("created", names.created, ({ created_at }) => created_at, { from: "full", sorts: true }),
  ];
}

/** When a campaign starts or started, in the viewer's time zone; that of its request shows on hover. */
export function StartTime({ campaign }: { campaign: Campaign }) {
  return <Time at={startOf(campaign)} zone={campaign.timezone} style="zoned" />;
}

function startOf({ status, scheduled_time, started_at }: Campaign): string | null {
  return status === "scheduled" ? scheduled_time : started_at;
}

/** The name, or a word in its place. */
export function nameOf({ campaign_name }: { campaign_name: string }): string {
  return campaign_name || words().campaigns.unnamed;
}

/** How many recipients were sent to, or failed; those that were cancelled were not. */
export function doneOf({ total, pending, processing, cancelled }: Campaign): number {
  return total - pending - processing - cancelled;
}

/** Of what the share of those delivered is: messages that were sent, or calls that were made. */
function leftOf(campaign: Campaign): number {
  return campaign.channel === "voice" ? calledOf(campaign) : campaign.sent;
}

function deliveredShare(campaign: Campaign) {
  const { ofSent, ofCalled } = words().campaigns;
  return share(campaign.delivered, leftOf(campaign), campaign.channel === "voice" ? ofCalled : ofSent);
}

function number(
  name: "delivered" | "read" | "failed",
  title: string,
  from: "medium" | "wide",
): Column<Campaign> {
  return {
    name,
    title,
    width: `${Math.max(80, 24 + 9 * title.length)}px`,
    align: "end",
    from,
    cell: (campaign) => count(campaign[name]),
    sortBy: (campaign) => campaign[name],
  };
}

function share(part: number, whole: number, meaning: (part: string, whole: string) => string) {
  return <span title={meaning(count(part), count(whole))}>{percent(part, whole)}</span>;
}
