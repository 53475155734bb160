import { route } from "../../data/route.ts";
import type { Suppression } from "../../data/sdk.ts";
import { timeColumn } from "../../components/table/time_column.tsx";
import { SuppressDialog } from "../contact/suppress_dialog.tsx";
import { useSuppressions } from "./ledger.ts";
import { LedgerTable } from "./ledger_table.tsx";
import { words } from "../../i18n/words.ts";

/** Lists who does not want to be written to. */
export function Suppressions() {
  const { number, channel, source, lifted } = route.value.query;
  const names = words().contacts;
  return (
    <LedgerTable
      kind="suppressions"
      list={useSuppressions({ number, channel, source, lifted })}
      filters={[
        { kind: "choice", name: "source", label: names.source, options: Object.entries(names.sources) },
        { kind: "choice", name: "lifted", label: names.lifted, options: [["true", names.withLifted]] },
      ]}
      columns={[
        { name: "category", title: names.category, cell: (row) => names.categories[row.category] },
        { name: "source", title: names.source, from: "medium", cell: (row) => names.sources[row.source] },
        timeColumn("at", names.at, ({ at }: Suppression) => at),
        timeColumn("lifted", names.liftedAt, ({ lifted_at }: Suppression) => lifted_at, { from: "wide" }),
      ]}
      RecordDialog={SuppressDialog}
    />
  );
}
