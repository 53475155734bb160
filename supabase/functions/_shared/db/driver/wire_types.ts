import type postgres from "postgres";

/** The client every query goes through. */
export type Sql = postgres.Sql;

/** An item of an array as Postgres writes it: quoted with backslashes before quotes, or bare. */
const ITEM = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/g;

/**
 * The array types that queries use. The driver would ask the database for all it has, on each new connection; a
 * connection that breaks meanwhile leaves an unhandled rejection, which ends the process
 * (https://github.com/porsager/postgres/issues/1192).
 */
export const ARRAY_TYPES = {
  text_array: arrayType(1009, String),
  uuid_array: arrayType(2951, String),
  int_array: arrayType(1007, Number),
} satisfies Record<string, postgres.PostgresType>;

function arrayType(oid: number, parseItem: (text: string) => unknown) {
  return {
    to: oid,
    from: [oid],
    serialize: (items: unknown[]) => `{${items.map(writeItem).join(",")}}`,
    parse: (text: string) => Array.from(text.matchAll(ITEM), (match) => readItem(match, parseItem)),
  };
}

function writeItem(item: unknown): string {
  return item === null ? "NULL" : `"${String(item).replace(/["\\]/g, "\\$&")}"`;
}

function readItem([, quoted, bare]: RegExpExecArray, parseItem: (text: string) => unknown): unknown {
  if (quoted !== undefined) return parseItem(quoted.replace(/\\(.)/gs, "$1"));
  return bare === "NULL" ? null : parseItem(bare!);
}
