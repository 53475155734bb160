import { PlatformError } from "../errors/platform_error.ts";

/** The platform gives 25 when nothing is asked; the most it gives here is 250. */
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 250;

export interface Page<T> {
  data: T[];
  paging?: { cursors: { before: string; after: string }; next?: string };
}

/**
 * Cuts the page a Graph request asks for by `limit` and `after`. Cursors name the item before the cut, so
 * they hold when items are added. `paging.next` is absolute and absent on the last page. Fails with code
 * 100 on a limit or cursor that makes no sense.
 */
export function pageOf<T extends { id: string }>(items: T[], requestUrl: string): Page<T> {
  const url = new URL(requestUrl);
  const limit = Number(url.searchParams.get("limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1) throw new PlatformError(100, "limit must be a positive integer");
  const after = url.searchParams.get("after");
  const start = after === null ? 0 : indexOfCursor(items, after) + 1;
  const data = items.slice(start, start + Math.min(limit, MAX_LIMIT));
  if (data.length === 0) return { data };
  const cursors = { before: cursorOf(data[0]!), after: cursorOf(data.at(-1)!) };
  if (start + data.length >= items.length) return { data, paging: { cursors } };
  url.searchParams.set("after", cursors.after);
  return { data, paging: { cursors, next: url.href } };
}

function cursorOf(item: { id: string }): string {
  return btoa(`after:${item.id}`).replaceAll("=", "");
}

function indexOfCursor(items: { id: string }[], cursor: string): number {
  const index = items.findIndex((item) => cursorOf(item) === cursor);
  if (index < 0) throw new PlatformError(100, "after is not a cursor of this list");
  return index;
}
