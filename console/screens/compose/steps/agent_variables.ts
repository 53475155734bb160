/** Names of an agent's variables, by the column of the file that fills them; empty for a column that fills none. */
export type Variables = Record<string, string>;

/** The API takes so many for one call, with the number. */
const MAX_VARIABLES = 50;
const MAX_NAME_LENGTH = 64;

/** The names that the API takes both for a variable and for a field of a file. */
const NAME = /^(?!\d+$)[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ -]{0,63}$/u;

/** Names that mean something else in a contact, or belong to the API or the platform. */
const RESERVED = /^(number|metadata|outbound_reference|system__.*)$/;

/** Names a variable after each column of a file, as people write them in prompts: `first_name`. */
export function guessVariables(columns: string[]): Variables {
  const names = columns.map((column) => [column, nameFor(column)] as const).filter(([, name]) => name !== "");
  return Object.fromEntries(names.slice(0, MAX_VARIABLES));
}

function nameFor(column: string): string {
  const name = column.replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "_").replaceAll(/^_+|(?<!_)_+$/g, "")
    .toLowerCase();
  return RESERVED.test(name) || /^\d+$/.test(name) ? `column_${name}` : name.slice(0, MAX_NAME_LENGTH);
}

/** Returns the variables that a call gets, each with its column: those with a name, besides the column of the numbers. */
export function givenVariables(
  variables: Variables,
  numberColumn: string | undefined,
): { column: string; name: string }[] {
  return Object.entries(variables)
    .map(([column, name]) => ({ column, name: name.trim() }))
    .filter(({ column, name }) => name !== "" && column !== numberColumn);
}

/** Returns the columns whose variable has a name that the API does not take, or that another one has as well. */
export function wrongVariables(variables: Variables, numberColumn: string | undefined): Set<string> {
  const given = givenVariables(variables, numberColumn);
  const wrong = given.filter(({ column, name }) =>
    !NAME.test(name) || RESERVED.test(name) ||
    given.some((other) => other.column !== column && other.name === name)
  );
  return new Set(wrong.map(({ column }) => column));
}
