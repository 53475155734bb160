import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { List } from "../../data/list.ts";
import { changeQuery, route } from "../../data/route.ts";
import { ErrorNotice } from "../error_notice.tsx";
import { type Column, sorted } from "./columns.ts";
import { Head } from "./head.tsx";
import { Row } from "./row.tsx";
import type { Selection } from "./selection.ts";
import { useWindow } from "./window.ts";
import { words } from "../../i18n/words.ts";

const ROW_HEIGHT = 44;

/** Ask for more rows while so many are still below. */
const READ_AHEAD = 60;

const SKELETON_ROWS = 6;

export interface DataTableProps<T> {
  /** Names the rows, for screen readers. */
  label: string;
  list: List<T>;
  columns: Column<T>[];
  /** Where a row leads; its first cell becomes the link. */
  hrefOf?: (row: T) => string;
  /** From `useSelection`, where something can be done with several rows. */
  selection?: Selection | undefined;
  /** The length of the whole list, where it is known before it is read. */
  total?: number | undefined;
  /** Shown in place of a list without rows: an `Empty`. */
  empty: ComponentChildren;
}

/** A list of the API as a table: only the rows that are seen are on the page, and more are read as it is scrolled. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, list, columns, hrefOf, selection, total, empty } = props;
  const box = useRef<HTMLDivElement>(null);
  const { sort } = route.value.query;
  const rows = list.isComplete ? sorted(list.rows ?? [], columns, sort) : list.rows ?? [];
  const seen = useWindow({ count: rows.length, rowHeight: ROW_HEIGHT, box });
  const last = seen.items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (!list.isComplete && !list.isReading && !list.problem && last >= rows.length - READ_AHEAD) {
      list.readMore();
    }
  }, [last, rows.length, list.isReading]);

  if (list.rows === undefined && list.problem) {
    return <ErrorNotice problem={list.problem} onRetry={list.reload} />;
  }
  if (list.rows?.length === 0) return <>{empty}</>;
  const length = total ?? (list.isComplete ? rows.length : undefined);
  return (
    <div class="table-frame">
      <div class="table-box" ref={box} tabIndex={0} role="region" aria-label={label}>
        <table aria-rowcount={length === undefined ? -1 : length + 1} aria-busy={list.rows === undefined}>
          <caption class="unseen">{label}</caption>
          <Head
            columns={columns}
            sort={list.isComplete ? { now: sort, change: (next) => changeQuery({ sort: next }) } : undefined}
            selection={selection && { ...selection, ids: rows.map(list.idOf) }}
          />
          <tbody>
            <Space height={seen.above} />
            {seen.items.map(({ index }) => {
              const row = rows[index]!;
              const id = list.idOf(row);
              return (
                <Row
                  key={id}
                  {...{ row, columns, index }}
                  href={hrefOf?.(row)}
                  selected={selection && { is: selection.has(id), toggle: () => selection.toggle(id) }}
                />
              );
            })}
            <Space height={seen.below} />
            {list.rows === undefined && <Skeleton columns={columns} />}
          </tbody>
        </table>
      </div>
      <p class="table-foot" role="status">
        {list.rows === undefined
          ? words().common.loading
          : list.isComplete
          ? words().common.rows(rows.length)
          : words().common.rowsSoFar(rows.length)}
      </p>
      {list.rows && list.problem && <ErrorNotice problem={list.problem} onRetry={list.readMore} />}
    </div>
  );
}

/** Stands for the rows that are not on the page. */
function Space({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden="true" class="space" style={{ height: `${height}px` }} /> : null;
}

function Skeleton<T>({ columns }: { columns: Column<T>[] }) {
  return (
    <>
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <tr key={row} class="skeleton" aria-hidden="true">
          {columns.map(({ name, from }) => (
            <td key={name} class={from && `from-${from}`}>
              <span />
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}
