import type { ContactMessage } from "../../data/sdk.ts";
import { Empty } from "../../components/empty.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { Time } from "../../components/time.tsx";
import { usePersonMessages } from "./person_data.ts";
import { words } from "../../i18n/words.ts";

/** Lists what the person wrote on WhatsApp, and was replied. */
export function Messages({ address }: { address: string }) {
  const list = usePersonMessages(address);
  const { messages, noneWritten, noneWrittenHelp } = words().contact;
  return (
    <DataTable
      label={messages}
      list={list}
      columns={columns()}
      empty={<Empty title={noneWritten}>{noneWrittenHelp}</Empty>}
    />
  );
}

function columns(): Column<ContactMessage>[] {
  const { at, by, text, status, authors, withoutText } = words().contact;
  return [
    { name: "by", title: by, width: "104px", cell: ({ direction }) => authors[direction] },
    {
      name: "text",
      title: text,
      cell: (row) => <span title={row.text ?? undefined}>{row.text ?? withoutText(row.kind)}</span>,
    },
    {
      name: "status",
      title: status,
      width: "128px",
      from: "medium",
      cell: ({ status, error_reason }) => (
        <span title={error_reason ?? undefined}>
          <StatusBadge status={status} />
        </span>
      ),
    },
    { name: "at", title: at, width: "136px", from: "medium", cell: (row) => <Time at={row.at} /> },
  ];
}
