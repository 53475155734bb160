import type { ContactMessage } from "../../data/sdk.ts";
import { authorName } from "../../components/author.ts";
import { Empty } from "../../components/empty.tsx";
import { mediaOf } from "../../components/media/media_file.ts";
import { MediaButton } from "../../components/media/media_button.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
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

/** The text, and the file as it opens. */
function Content({ message }: { message: ContactMessage }) {
  const { kind, text, direction } = message;
  const file = mediaOf(message, direction === "in");
  return (
    <>
      {file && <MediaButton file={file} />}
      {text !== null && <span title={text}>{text}</span>}
      {!file && text === null && (words().media.kinds[kind] ?? words().media.kinds.other)}
    </>
  );
}

function columns(): Column<ContactMessage>[] {
  const { at, by, text, status } = words().contact;
  return [
    { name: "by", title: by, width: "128px", cell: ({ written_by }) => authorName(written_by) },
    {
      name: "text",
      title: text,
      cell: (row) => <Content message={row} />,
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
    timeColumn("at", at, (row) => row.at),
  ];
}
