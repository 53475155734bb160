import { link } from "../../data/company.ts";
import { Empty } from "../../components/empty.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { callColumns } from "../calls/columns.tsx";
import { useCallsTo } from "./person_data.ts";
import { words } from "../../i18n/words.ts";

/** The calls to the person's number. */
export function Calls({ number }: { number: string }) {
  const list = useCallsTo(number);
  const { calls, noneCalled, noneCalledHelp } = words().contact;
  return (
    <DataTable
      label={calls}
      list={list}
      columns={callColumns()}
      hrefOf={({ notification_id }) => link(["calls", notification_id])}
      empty={<Empty title={noneCalled}>{noneCalledHelp}</Empty>}
    />
  );
}
