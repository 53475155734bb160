import type { Column } from "./columns.ts";

/** A short table whose texts wrap. On a phone each row is a block that repeats the columns' titles. */
export function PlainTable<T>({ rows, columns, keyOf }: {
  rows: T[];
  columns: Pick<Column<T>, "title" | "cell" | "align">[];
  /** Returns a text that no other row has. */
  keyOf: (row: T) => string;
}) {
  const [head, ...others] = columns;
  return (
    <table class="plain-table">
      <thead>
        <tr>
          {columns.map(({ title, align }) => <th key={title} scope="col" class={align}>{title}</th>)}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{head!.cell(row)}</th>
            {others.map(({ title, cell, align }) => (
              <td key={title} class={align} data-title={title}>{cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
