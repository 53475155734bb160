import { link } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import type { Sender } from "../../data/sdk.ts";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead } from "../../components/page_head.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { phone } from "../../i18n/format.ts";
import { describeLimit, describeQuality, describeRate, SenderBadge } from "./describe_sender.tsx";
import { useSenders } from "./sender_list.ts";
import { words } from "../../i18n/words.ts";

/** The numbers that messages and calls come from. */
export default function Senders() {
  const { channel, status } = route.value.query;
  const filters = { ...(channel && { channel }), ...(status && { status }) };
  const list = useSenders(filters);
  const names = words().senders;
  const { channels, statuses } = words().common;
  const isFiltered = Boolean(channel || status);
  return (
    <>
      <PageHead title={names.title} />
      <FilterBar
        filters={[
          {
            kind: "choice",
            name: "channel",
            label: names.channel,
            options: [["whatsapp", channels.whatsapp], ["voice", channels.voice]],
          },
          {
            kind: "choice",
            name: "status",
            label: names.status,
            options: [["active", statuses.active!], ["stopped", statuses.stopped!]],
          },
        ]}
      />
      <DataTable
        label={names.title}
        list={list}
        columns={columns()}
        hrefOf={({ sender_id }) => link(["senders", sender_id])}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.none}>{names.noneHelp}</Empty>}
      />
    </>
  );
}

function columns(): Column<Sender>[] {
  const names = words().senders;
  return [
    {
      name: "number",
      title: names.number,
      width: "168px",
      cell: ({ number }) => phone(number),
      sortBy: ({ number }) => number,
    },
    {
      name: "status",
      title: names.status,
      width: "128px",
      cell: (sender) => <SenderBadge sender={sender} />,
      sortBy: ({ status }) => status,
    },
    {
      name: "channel",
      title: names.channel,
      width: "104px",
      from: "medium",
      cell: ({ channel }) => words().common.channels[channel],
    },
    { name: "rate", title: names.rate, width: "200px", from: "medium", cell: describeRate },
    {
      name: "quality",
      title: names.quality,
      width: "112px",
      from: "wide",
      cell: ({ quality }) => describeQuality(quality) ?? "–",
    },
    {
      name: "limit",
      title: names.limit,
      width: "168px",
      from: "full",
      cell: ({ messaging_limit }) => describeLimit(messaging_limit) ?? "–",
    },
    {
      name: "reason",
      title: names.reason,
      from: "wide",
      cell: ({ stopped_reason }) => stopped_reason && <span title={stopped_reason}>{stopped_reason}</span>,
    },
  ];
}
