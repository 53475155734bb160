import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { place } from "../../data/place.ts";
import type { Consent } from "../../data/sdk.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FilterBar } from "../../parts/filter_bar.tsx";
import { StatusBadge } from "../../parts/status_badge.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { DataTable } from "../../parts/table/data_table.tsx";
import { Time } from "../../parts/time.tsx";
import { words as shared } from "../../words/words.ts";
import { ConsentDialog } from "../contact/consent_dialog.tsx";
import { ImportDialog } from "./import_dialog.tsx";
import { useConsents } from "./ledger.ts";
import { ledgerColumns, ledgerFilters } from "./ledger_columns.tsx";
import { words } from "./words.ts";

/** Lists who agreed to be written to, and who took it back. */
export function Consents() {
  const { number, channel, status } = place.value.query;
  const list = useConsents({ number, channel, status });
  const [open, setOpen] = useState<"add" | "import">();
  const names = words();
  const { granted, withdrawn } = shared().statuses;
  const isFiltered = Boolean(number || channel || status);
  const close = () => {
    setOpen(undefined);
    list.reload();
  };
  return (
    <>
      <FilterBar
        filters={[
          ...ledgerFilters(),
          {
            kind: "choice",
            name: "status",
            label: names.status,
            options: [["granted", granted!], ["withdrawn", withdrawn!]],
          },
        ]}
      >
        {may("operator") && (
          <>
            <Button icon="upload" onPress={() => setOpen("import")}>{names.importCsv}</Button>
            <Button icon="plus" onPress={() => setOpen("add")}>{names.consent}</Button>
          </>
        )}
      </FilterBar>
      <DataTable
        label={names.consents}
        list={list}
        columns={columns()}
        hrefOf={(row) => link(["contacts", row.number ?? row.user_id ?? ""])}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.noConsents}>{names.noConsentsHelp}</Empty>}
      />
      {open === "add" && <ConsentDialog onClose={close} />}
      {open === "import" && <ImportDialog kind="consents" onClose={close} />}
    </>
  );
}

function columns(): Column<Consent>[] {
  const { status, method, consentedAt, agreedTo, agreements } = words();
  const [person, channel, category] = ledgerColumns<Consent>();
  return [
    person!,
    {
      name: "status",
      title: status,
      width: "128px",
      cell: (row) => <StatusBadge status={row.status} />,
    },
    channel!,
    { ...category!, title: agreedTo, from: "wide", cell: (row) => agreements[row.category] },
    {
      name: "method",
      title: method,
      from: "medium",
      cell: (row) => <span title={row.detail ?? undefined}>{row.method}</span>,
    },
    {
      name: "at",
      title: consentedAt,
      width: "136px",
      from: "medium",
      cell: ({ consented_at }) => <Time at={consented_at} />,
    },
  ];
}
