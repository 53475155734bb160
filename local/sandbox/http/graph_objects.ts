import { PlatformError } from "./platform_error.ts";

/** The platform's page size without a `limit` is 25; here, the maximum is 250. */
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 250;

export interface Page<T> {
  data: T[];
  paging?: { cursors: { before: string; after: string }; next?: string };
}

/**
 * Cuts the page that `limit` and `after` name. A cursor names the item before the cut, so it stays valid when items are
 * added. `paging.next` is absolute and absent on the last page. Throws code 100 for an invalid limit or cursor.
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

/**
 * Returns the `fields` of an object, always with `id`; without `fields`, `preset`. Leaves out `known` fields that are
 * not simulated, as the platform leaves out those without a value. Throws code 100 for a field the object cannot have.
 */
export function pickFields<T extends { id: string }>(
  object: T,
  fields: string | undefined,
  preset: (keyof T & string)[],
  known: readonly string[] = [],
): Record<string, unknown> {
  const names = fields === undefined ? preset : fields.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(object, name) && !known.includes(name));
  if (unknown !== undefined) {
    throw new PlatformError(100, null, { message: `(#100) Tried accessing nonexisting field (${unknown})` });
  }
  const picked = Object.entries(object).filter(([name, value]) =>
    names.includes(name) && value !== undefined
  );
  return { ...Object.fromEntries(picked), id: object.id };
}
