import type { Call } from "../../data/sdk.ts";
import { FailureReason } from "../../components/failure_reason.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { timeColumn } from "../../components/table/time_column.tsx";
import { duration, phone } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** The columns of a table of calls. */
export function callColumns(): Column<Call>[] {
  const { outcome, lasted, agent, campaign, started, reason } = words().calls;
  return [
    { name: "number", title: words().common.number, width: "160px", cell: (call) => phone(call.number) },
    { name: "outcome", title: outcome, width: "136px", cell: (call) => <CallBadge call={call} /> },
    {
      name: "duration",
      title: lasted,
      width: "128px",
      from: "medium",
      align: "end",
      cell: ({ duration_s }) => duration_s === null ? <span class="none">–</span> : duration(duration_s),
      sortBy: ({ duration_s }) => duration_s ?? -1,
    },
    { name: "agent", title: agent, from: "wide", cell: (call) => call.agent?.name },
    { name: "campaign", title: campaign, from: "medium", cell: (call) => call.campaign_name },
    {
      name: "reason",
      title: reason,
      from: "full",
      cell: ({ code, reason }) => reason && <FailureReason code={code} reason={reason} />,
    },
    timeColumn("started", started, ({ started_at }) => started_at, { sorts: true }),
  ];
}

/** How a call ended, or that it goes on. */
export function CallBadge({ call: { ongoing, outcome, status } }: { call: Call }) {
  if (ongoing) return <StatusBadge status="sending" label={words().calls.goesOn} />;
  return <StatusBadge status={outcome ?? status} />;
}
