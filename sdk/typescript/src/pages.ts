import type { Client } from "./generated/client/index.ts";

/** An operation that returns one page of a list, as the generated ones do. */
export type PagedOperation = (options: never) => Promise<unknown>;

/** The options of a paged operation, without the client. */
export type PageOptions<Operation extends PagedOperation> = Omit<Parameters<Operation>[0], "client" | "url">;

/** The type of a list's entries. */
export type ItemOf<Operation extends PagedOperation> = EntryOf<Awaited<ReturnType<Operation>>>;

/** A page has one array. */
type EntryOf<Page> = Page extends object ? {
    [Field in keyof Page]-?: Page[Field] extends readonly (infer Entry)[] ? Entry : never;
  }[keyof Page]
  : never;

/** The first page of a list where it is awaited, and the entries of all pages in `for await`. */
export type Paged<Page> = Promise<Page> & AsyncIterable<EntryOf<Page>>;

/**
 * Reads a list page by page and yields its entries; the next page is read when it is needed.
 *
 * @param first the first page, where it has been asked for
 */
export async function* readPages<Operation extends PagedOperation>(
  client: Client,
  operation: Operation,
  options: PageOptions<Operation>,
  first?: Promise<unknown>,
): AsyncGenerator<ItemOf<Operation>, void, undefined> {
  const { query } = options as { query?: Record<string, unknown> };
  const read = (after: unknown) =>
    operation({ ...options, client, query: { ...query, after } } as never) as Promise<unknown>;
  let page = await (first ?? read(query?.after));
  while (true) {
    const { next = null, ...fields } = page as Record<string, unknown>;
    yield* Object.values(fields).find(Array.isArray) as ItemOf<Operation>[];
    if (next === null) return;
    page = await read(next);
  }
}
