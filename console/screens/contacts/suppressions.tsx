import { route } from "../../data/route.ts";
import { TIME_WIDTH } from "../../components/table/columns.ts";
import { Time } from "../../components/time.tsx";
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
        {
          name: "at",
          title: names.at,
          width: TIME_WIDTH,
          from: "medium",
          cell: (row) => <Time at={row.at} />,
        },
        {
          name: "lifted",
          title: names.liftedAt,
          width: TIME_WIDTH,
          from: "wide",
          cell: ({ lifted_at }) => <Time at={lifted_at} />,
        },
      ]}
      RecordDialog={SuppressDialog}
    />
  );
}
