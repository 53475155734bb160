import type { CallOptions } from "./call_options.ts";
import type { Client } from "./generated/client/index.ts";
import { type Paged, readPages } from "./pages.ts";
import { tag, type Tagged } from "./tagged.ts";

export type { CallOptions, CompanyOptions } from "./call_options.ts";
export type { Paged } from "./pages.ts";
export type { Tagged } from "./tagged.ts";

/** A generated function. */
type Operation<Data> = (options: never) => Promise<Data>;

/** The parts of a request that are no options. */
interface Given {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** The options of any method. */
type AnyOptions = CallOptions<unknown> & { companyId?: string };

/** A part of the API: its methods call the generated functions. */
export class Resource {
  readonly #client: Client;
  readonly #companyId: string | undefined;

  constructor(client: Client, companyId: string | undefined) {
    this.#client = client;
    this.#companyId = companyId;
  }

  /** Returns the response. */
  protected call<Data>(operation: Operation<Data>, given: Given, options?: AnyOptions): Promise<Data> {
    return operation({ client: this.#client, ...this.#requestOf(given, options) } as never);
  }

  /** Returns a page of a list, which goes on to the next ones. */
  protected pages<Page>(operation: Operation<Page>, given: Given, options?: AnyOptions): Paged<Page> {
    const request = this.#requestOf(given, options);
    const first = operation({ client: this.#client, ...request } as never);
    return Object.assign(first, {
      [Symbol.asyncIterator]: () => readPages(this.#client, operation, request as never, first),
    }) as Paged<Page>;
  }

  /** Returns the response, which has its ETag. */
  protected tagged<Data>(operation: Operation<Data>, given: Given, options?: AnyOptions): Tagged<Data> {
    return tag(this.#client, operation, this.#requestOf(given, options) as never);
  }

  /** An option that is not the client's own belongs to the query. */
  #requestOf({ path, query, body }: Given, options: AnyOptions = {}): object {
    const { companyId, headers, signal, timeoutMs, retries, totalMs, ...others } = options;
    return {
      path: { company_id: companyId ?? this.#companyId, ...path },
      query: { ...others, ...query },
      headers: { ...typeOf(body), ...headers },
      meta: { timeoutMs, retries, totalMs },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    };
  }
}

/** A file knows its type. */
function typeOf(body: unknown): { "Content-Type"?: string } {
  return body instanceof Blob && body.type !== "" ? { "Content-Type": body.type } : {};
}
