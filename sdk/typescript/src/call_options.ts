import type { RequestLimits } from "./outbound_options.ts";

/** How to send one request. */
export interface RequestOptions extends Partial<RequestLimits> {
  /** When it aborts, the call ends with its reason. */
  signal?: AbortSignal;
}

/** The last argument of a method: the query of its operation, its headers, and how to send the request. */
export type CallOptions<Data> = QueryOf<Data> & HeadersOf<Data> & RequestOptions;

/** As `CallOptions`, for operations below a company. */
export type CompanyOptions<Data> = CallOptions<Data> & {
  /** The company, where it is another one than the client's. */
  companyId?: string;
};

/** The client sends the access key by itself. */
type QueryOf<Data> = Data extends { query: infer Query } ? Flags<Query>
  : Data extends { query?: infer Query } ? Flags<NonNullable<Query>>
  : unknown;

type HeadersOf<Data> = Data extends { headers: infer Headers } ? { headers: Headers & Record<string, string> }
  : Data extends { headers?: infer Headers } ? { headers?: NonNullable<Headers> & Record<string, string> }
  : { headers?: Record<string, string> };

type Flags<Query> = [Query] extends [never] ? unknown : {
  [Name in keyof Query as Name extends "access_key" ? never : Name]: Flag<Query[Name]>;
};

/** Flags of a query are texts on the wire. */
type Flag<Value> = NonNullable<Value> extends "true" | "false" ? ("false" extends Value ? boolean : true)
  : Value;
