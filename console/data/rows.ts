import { api, ask } from "./client.ts";
import { companyId } from "./company.ts";
import { given } from "./given.ts";
import { type List, useList } from "./list.ts";
import { type LiveKind, useLive } from "./live/live.ts";
import { useThrottle } from "./live/throttle.ts";

/** A function of the SDK that reads one page of a list of the company. */
type ListOperation = (options: never) => Promise<unknown>;

type Page<Operation extends ListOperation> = Exclude<Awaited<ReturnType<Operation>>, undefined>;

/** The rows that such a function returns under a name. */
type Row<Operation extends ListOperation, Noun extends keyof Page<Operation>> = Page<Operation>[Noun] extends
  (infer Each)[] ? Each : never;

interface RowsOptions {
  /** The parameters of the address besides the company. */
  path?: Record<string, string>;
  /** The filters of the request. */
  query?: Record<string, string | undefined>;
  /** How many rows a page has. */
  limit?: number;
}

/**
 * Reads a list of the company, and keeps it for all that it depends on.
 *
 * ```ts
 * const list = useRows(listSenders, "senders", ({ sender_id }) => sender_id, { query: { channel } });
 * ```
 *
 * @param noun where the response has the rows
 */
export function useRows<Operation extends ListOperation, Noun extends keyof Page<Operation> & string>(
  operation: Operation,
  noun: Noun,
  idOf: (row: Row<Operation, Noun>) => string,
  { path, query, limit = 100 }: RowsOptions = {},
): List<Row<Operation, Noun>> {
  const whole = { company_id: companyId(), ...path };
  return useList<Row<Operation, Noun>>({
    key: `${noun} ${JSON.stringify([whole, query, limit])}`,
    idOf,
    async read(after, signal) {
      const options = { client: api(), path: whole, query: given({ ...query, after, limit }), signal };
      const page = await ask(operation(options as never)) as Page<Operation> & { next: string | null };
      return { rows: page[noun] as Row<Operation, Noun>[], next: page.next };
    },
  });
}

/** Changes the rows of a list by events, and reads the list anew after them, at most every `ms`. */
export function usePatches<T>(list: List<T>, kind: LiveKind, id: keyof T & string, ms: number): List<T> {
  const readAgain = useThrottle(list.reload, ms);
  useLive(kind, ({ [id]: changed, ...change }) => {
    list.patch(String(changed), change as unknown as Partial<T>);
    readAgain();
  });
  return list;
}
