import type { Column } from "./columns.ts";
import { words } from "../../i18n/words.ts";

/** One row. The link in its first cell covers all of it. */
export function Row<T>({ row, columns, index, href, selected }: {
  row: T;
  columns: Column<T>[];
  index: number;
  href: string | undefined;
  selected: { is: boolean; toggle(): void } | undefined;
}) {
  return (
    // The heading is the first row.
    <tr aria-rowindex={index + 2} class={selected?.is ? "selected" : undefined}>
      {selected && (
        <td class="select">
          <input
            type="checkbox"
            aria-label={words().common.selectRow}
            checked={selected.is}
            onChange={selected.toggle}
          />
        </td>
      )}
      {columns.map(({ name, cell, align, from }, column) => (
        <td key={name} class={classes(align, from)}>
          {column === 0 && href ? <a class="row-link" href={href}>{cell(row)}</a> : cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The classes of a cell, in the head as in the rows. */
export function classes(align: string | undefined, from: string | undefined): string | undefined {
  return [align, from && `from-${from}`].filter(Boolean).join(" ") || undefined;
}
