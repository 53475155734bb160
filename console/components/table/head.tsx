import { Icon } from "../icon.tsx";
import { type Column, nextSort, readSort } from "./columns.ts";
import { classes } from "./row.tsx";
import type { Selection } from "./selection.ts";
import { words } from "../../i18n/words.ts";

/** The headings, which sort where the whole list is there. */
export function Head<T>({ columns, sort, selection }: {
  columns: Column<T>[];
  sort: { now: string | undefined; change(next: string | undefined): void } | undefined;
  selection: (Selection & { ids: string[] }) | undefined;
}) {
  const by = readSort(sort?.now);
  const isAll = selection !== undefined && selection.ids.length > 0 && selection.ids.every(selection.has);
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection && (
          <th scope="col" class="select">
            <input
              type="checkbox"
              aria-label={words().common.selectAll}
              checked={isAll}
              onChange={() => isAll ? selection.clear() : selection.choose(selection.ids)}
            />
          </th>
        )}
        {columns.map(({ name, title, width, align, from, sortBy }) => {
          const isSorted = sort !== undefined && by?.name === name;
          return (
            <th
              key={name}
              scope="col"
              class={classes(align, from)}
              style={width && { width }}
              aria-sort={isSorted ? (by.isDescending ? "descending" : "ascending") : undefined}
            >
              {sort && sortBy
                ? (
                  <button type="button" class="sort" onClick={() => sort.change(nextSort(name, sort.now))}>
                    {title}
                    {isSorted && <Icon name={by.isDescending ? "down" : "up"} />}
                  </button>
                )
                : title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
