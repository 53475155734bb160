import { route } from "../../data/route.ts";
import type { Consent } from "../../data/sdk.ts";
import { StatusBadge } from "../../components/status_badge.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { ConsentDialog } from "../contact/consent_dialog.tsx";
import { useConsents } from "./ledger.ts";
import { LedgerTable } from "./ledger_table.tsx";
import { words } from "../../i18n/words.ts";

/** Lists who agreed to be written to, and who took it back. */
export function Consents() {
  const { number, channel, status } = route.value.query;
  const names = words().contacts;
  const { granted, withdrawn } = words().common.statuses;
  return (
    <LedgerTable
      kind="consents"
      list={useConsents({ number, channel, status })}
      filters={[{
        kind: "choice",
        name: "status",
        label: names.status,
        options: [["granted", granted!], ["withdrawn", withdrawn!]],
      }]}
      columns={[
        {
          name: "status",
          title: names.status,
          width: "128px",
          cell: (row) => <StatusBadge status={row.status} />,
        },
        {
          name: "category",
          title: names.agreedTo,
          from: "wide",
          cell: (row) => names.agreements[row.category],
        },
        {
          name: "method",
          title: names.method,
          from: "medium",
          cell: (row) => <span title={row.detail ?? undefined}>{row.method}</span>,
        },
        timeColumn("at", names.consentedAt, ({ consented_at }: Consent) => consented_at),
      ]}
      RecordDialog={ConsentDialog}
    />
  );
}
