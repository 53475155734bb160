import type { CampaignDetails, Recipient } from "../../data/sdk.ts";
import { FailureReason } from "../../components/failure_reason.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { type Column, TIME_WIDTH } from "../../components/table/columns.ts";
import { Time } from "../../components/time.tsx";
import { duration, phone } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** The columns of a campaign's recipients. */
export function recipientColumns({ timezone, channel }: CampaignDetails): Column<Recipient>[] {
  const names = words().campaign;
  const time = (
    name: "sent_at" | "delivered_at" | "read_at",
    title: string,
    from: "medium" | "wide",
  ): Column<Recipient> => ({
    name,
    title,
    from,
    width: TIME_WIDTH,
    cell: (recipient) => <Time at={recipient[name]} zone={timezone} />,
  });
  return [
    {
      name: "number",
      title: words().common.number,
      width: "160px",
      cell: ({ number, user_id }) => number === null ? user_id ?? "–" : phone(number),
    },
    { name: "name", title: names.name, width: "160px", from: "wide", cell: ({ name }) => name ?? "–" },
    {
      name: "status",
      title: names.status,
      width: "128px",
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    time("sent_at", names.sentAt, "medium"),
    ...(channel === "whatsapp"
      ? [time("delivered_at", names.deliveredAt, "wide"), time("read_at", names.readAt, "wide")]
      : [outcomeColumn()]),
    {
      name: "reason",
      title: names.reason,
      from: "medium",
      cell: (recipient) => <Reason recipient={recipient} zone={timezone} />,
    },
  ];
}

function outcomeColumn(): Column<Recipient> {
  return {
    name: "outcome",
    title: words().campaign.outcome,
    from: "medium",
    width: "160px",
    cell: ({ outcome, duration_s }) =>
      outcome ? `${words().common.statuses[outcome]}${duration_s ? `, ${duration(duration_s)}` : ""}` : "–",
  };
}

/** Why it failed, or why it waits and until when. */
function Reason({ recipient: { code, reason, until }, zone }: { recipient: Recipient; zone: string | null }) {
  return (
    <>
      {reason && <FailureReason code={code} reason={reason} />}
      {until && (
        <>
          {reason && " · "}
          {words().campaign.until} <Time at={until} zone={zone} style="zoned" />
        </>
      )}
    </>
  );
}
