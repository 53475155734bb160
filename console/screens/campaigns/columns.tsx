import type { Campaign } from "../../data/sdk.ts";
import { Progress } from "../../components/charts/sparkline.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { Time } from "../../components/time.tsx";
import { describeWait } from "../../components/wait.ts";
import { count, percent } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** The columns of a table of campaigns. */
export function campaignColumns(): Column<Campaign>[] {
  const names = words().campaigns;
  return [
    { name: "name", title: names.name, cell: nameOf, sortBy: nameOf },
    {
      name: "status",
      title: names.status,
      width: "128px",
      cell: ({ status, wait, pending }) =>
        wait
          ? (
            <span title={describeWait(wait, pending)}>
              <StatusBadge status="waiting" />
            </span>
          )
          : <StatusBadge status={status} />,
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
      width: "120px",
      from: "medium",
      cell: (campaign) => (
        <Progress
          label={names.progress}
          done={doneOf(campaign)}
          bad={campaign.failed}
          whole={campaign.total}
        />
      ),
    },
    number("total", names.total, "medium"),
    {
      ...number("delivered", names.delivered, "wide"),
      cell: ({ delivered, sent }) => share(delivered, sent),
    },
    { ...number("read", names.read, "wide"), cell: ({ read, sent }) => share(read, sent) },
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
    {
      name: "created",
      title: names.created,
      width: "136px",
      from: "wide",
      align: "end",
      cell: ({ created_at }) => <Time at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
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

/** How many recipients are done with, whatever became of them. */
export function doneOf({ total, pending, processing }: Campaign): number {
  return total - pending - processing;
}

function number(
  name: "total" | "delivered" | "read" | "failed",
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

function share(part: number, whole: number) {
  return <span title={`${count(part)} / ${count(whole)}`}>{percent(part, whole)}</span>;
}
