import type postgres from "postgres";

/** An item of an array as Postgres writes it: quoted with backslashes before quotes, or bare. */
const ITEM = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/g;

/**
 * The array types that queries use. The driver would ask the database for all it has, on each new connection; a
 * connection that breaks meanwhile leaves an unhandled rejection, which ends the process (postgres 3.4.9).
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

/** A JSON value to be written, as opposed to JSON that is written already. */
export class JsonValue {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  toJSON(): unknown {
    return this.value;
  }
}

/**
 * The types whose written form differs from the value, in a form that may be written twice.
 *
 * When the server has forgotten a prepared statement, the driver (postgres 3.4.9) repeats it with the values as it has
 * written them, and writes those once more: `true` became `'t'` and then `'f'`, JSON became a string of JSON, and an
 * array failed with `items.map is not a function`. Here a value that is written already stays as it is.
 */
export const REPEATABLE_TYPES = {
  text_array: { ...ARRAY_TYPES.text_array, serialize: repeatable(ARRAY_TYPES.text_array.serialize) },
  uuid_array: { ...ARRAY_TYPES.uuid_array, serialize: repeatable(ARRAY_TYPES.uuid_array.serialize) },
  int_array: { ...ARRAY_TYPES.int_array, serialize: repeatable(ARRAY_TYPES.int_array.serialize) },
  json: {
    to: 114,
    from: [114, 3802],
    serialize: repeatable((value: unknown) => JSON.stringify(value)),
    parse: (text: string): unknown => JSON.parse(text),
  },
  boolean: {
    to: 16,
    from: [16],
    serialize: repeatable((value: unknown) => value === true ? "t" : "f"),
    parse: (text: string) => text === "t",
  },
};

function repeatable<Value>(write: (value: Value) => string): (value: Value | string) => string {
  return (value) => typeof value === "string" ? value : write(value);
}
