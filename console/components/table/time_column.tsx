import { Time } from "../time.tsx";
import { type Column, TIME_WIDTH } from "./columns.ts";

/** Returns a column of moments; `sorts` lets the table be sorted by it. */
export function timeColumn<T>(
  name: string,
  title: string,
  at: (row: T) => string | null,
  { from = "medium", sorts = false }: Pick<Column<T>, "from"> & { sorts?: boolean } = {},
): Column<T> {
  return {
    ...{ name, title, from, width: TIME_WIDTH, align: "end" },
    cell: (row) => <Time at={at(row)} />,
    ...(sorts && { sortBy: (row) => at(row) ?? "" }),
  };
}
