/**
 * Returns the query of a request without the values that are not given. The values are text of the address; the API
 * refuses those that it does not know.
 *
 * ```ts
 * listSenders({ client: api(), path, query: given({ channel, status, after, limit }), signal })
 * ```
 */
export function given<Query>(
  values: { [Name in keyof NonNullable<Query>]?: string | number | undefined },
): NonNullable<Query> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(entries) as NonNullable<Query>;
}
