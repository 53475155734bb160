import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import type { List } from "../../data/list.ts";
import { route } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { type Filter, FilterBar } from "../../components/form/filter_bar.tsx";
import { numberFilter } from "../../components/form/number_filter.ts";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { phone } from "../../i18n/format.ts";
import { ImportDialog } from "./import_dialog.tsx";
import { words } from "../../i18n/words.ts";

interface LedgerRow {
  number?: string;
  user_id?: string;
  channel: string;
}

/** A list of what people said, with its filters, and the ways to add to it: one by one, or from a file. */
export function LedgerTable<Row extends LedgerRow>({ kind, list, filters, columns, RecordDialog }: {
  kind: "suppressions" | "consents";
  list: List<Row>;
  /** Besides number and channel. */
  filters: Filter[];
  /** Besides person and channel, which come first. */
  columns: Column<Row>[];
  RecordDialog: ComponentType<{ onClose: () => void }>;
}) {
  const [open, setOpen] = useState<"record" | "import">();
  const names = words().contacts;
  const allFilters: Filter[] = [
    numberFilter(),
    { kind: "choice", name: "channel", label: names.channel, options: Object.entries(names.channels) },
    ...filters,
  ];
  const isFiltered = allFilters.some(({ name }) => route.value.query[name]);
  const close = () => {
    setOpen(undefined);
    list.reload();
  };
  return (
    <>
      <FilterBar filters={allFilters}>
        {may(kind === "consents" ? "owner" : "operator") && (
          <>
            <Button icon="upload" onPress={() => setOpen("import")}>{names.importCsv}</Button>
            <Button icon="plus" onPress={() => setOpen("record")}>{names.record[kind]}</Button>
          </>
        )}
      </FilterBar>
      <DataTable
        label={names[kind]}
        list={list}
        columns={[...personColumns<Row>(), ...columns]}
        hrefOf={(row) => link(["contacts", row.number ?? row.user_id ?? ""])}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.none[kind]}>{names.noneHelp[kind]}</Empty>}
      />
      {open === "record" && <RecordDialog onClose={close} />}
      {open === "import" && <ImportDialog kind={kind} onClose={close} />}
    </>
  );
}

function personColumns<Row extends LedgerRow>(): Column<Row>[] {
  const { person, channel, channels } = words().contacts;
  return [
    {
      name: "person",
      title: person,
      width: "232px",
      cell: ({ number, user_id }) => number ? phone(number) : user_id,
    },
    { name: "channel", title: channel, width: "152px", from: "wide", cell: (row) => channels[row.channel] },
  ];
}
