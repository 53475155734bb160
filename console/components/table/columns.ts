import type { ComponentChildren } from "preact";

/** A column of a table. */
export interface Column<T> {
  /** In the address, when it is sorted by. */
  name: string;
  title: string;
  cell: (row: T) => ComponentChildren;
  /** CSS width; the columns without one share what is left. */
  width?: string;
  /** Numbers are at the end, so that their digits stand under each other. */
  align?: "end";
  /** Shown only where the table is at least so wide: `medium` 560 px, `wide` 880 px, `full` 1280 px. */
  from?: "medium" | "wide" | "full";
  /** Makes the column sortable, once the whole list is there: the API has lists in one order only. */
  sortBy?: (row: T) => number | string;
}

/** The address's `sort`: a column's name, with a minus sign where the largest comes first. */
export function readSort(sort: string | undefined): { name: string; isDescending: boolean } | undefined {
  if (!sort) return undefined;
  return { name: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") };
}

/** Returns the rows in the order that the address asks for. */
export function sorted<T>(rows: T[], columns: Column<T>[], sort: string | undefined): T[] {
  const wanted = readSort(sort);
  const by = columns.find(({ name }) => name === wanted?.name)?.sortBy;
  if (by === undefined) return rows;
  const sign = wanted!.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)];
    return sign * (typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y));
  });
}

/** The width of a column of moments: the longest is that of another year, with a clock of twelve hours. */
export const TIME_WIDTH = "168px";

/** Returns what the next press on a heading sorts by. */
export function nextSort(name: string, sort: string | undefined): string | undefined {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` ? undefined : name;
}
