import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { place } from "../../data/place.ts";
import type { Suppression } from "../../data/sdk.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FilterBar } from "../../parts/filter_bar.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { DataTable } from "../../parts/table/data_table.tsx";
import { Time } from "../../parts/time.tsx";
import { SuppressDialog } from "../contact/suppress_dialog.tsx";
import { ImportDialog } from "./import_dialog.tsx";
import { useSuppressions } from "./ledger.ts";
import { ledgerColumns, ledgerFilters } from "./ledger_columns.tsx";
import { words } from "./words.ts";

/** Lists who does not want to be written to. */
export function Suppressions() {
  const { number, channel, source, lifted } = place.value.query;
  const list = useSuppressions({ number, channel, source, lifted });
  const [open, setOpen] = useState<"add" | "import">();
  const names = words();
  const isFiltered = Boolean(number || channel || source);
  const close = () => {
    setOpen(undefined);
    list.reload();
  };
  return (
    <>
      <FilterBar
        filters={[
          ...ledgerFilters(),
          { kind: "choice", name: "source", label: names.source, options: Object.entries(names.sources) },
          { kind: "choice", name: "lifted", label: names.lifted, options: [["true", names.withLifted]] },
        ]}
      >
        {may("operator") && (
          <>
            <Button icon="upload" onPress={() => setOpen("import")}>{names.importCsv}</Button>
            <Button icon="plus" onPress={() => setOpen("add")}>{names.suppress}</Button>
          </>
        )}
      </FilterBar>
      <DataTable
        label={names.suppressions}
        list={list}
        columns={columns()}
        hrefOf={(row) => link(["contacts", row.number ?? row.user_id ?? ""])}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.noSuppressions}>{names.noSuppressionsHelp}</Empty>}
      />
      {open === "add" && <SuppressDialog onClose={close} />}
      {open === "import" && <ImportDialog kind="suppressions" onClose={close} />}
    </>
  );
}

function columns(): Column<Suppression>[] {
  const { source, sources, at, liftedAt } = words();
  return [
    ...ledgerColumns<Suppression>(),
    { name: "source", title: source, from: "medium", cell: (row) => sources[row.source] },
    { name: "at", title: at, width: "136px", from: "medium", cell: (row) => <Time at={row.at} /> },
    {
      name: "lifted",
      title: liftedAt,
      width: "136px",
      from: "wide",
      cell: ({ lifted_at }) => <Time at={lifted_at} />,
    },
  ];
}
