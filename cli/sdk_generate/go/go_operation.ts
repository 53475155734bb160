import type { Parameter } from "../document.ts";

/** An argument or a field of a query: its name in Go and in HTTP. */
export interface Argument {
  name: string;
  wire: string;
  type: string;
  in: Parameter["in"];
  about: string;
}

/** An operation as a method of Go. */
export interface Operation {
  name: string;
  method: string;
  route: string;
  group: string;
  summary: string;
  description: string;
  /** The required parameters, in the order of the arguments. */
  required: Argument[];
  /** The optional fields of the query. */
  optional: Argument[];
  /** Parts of the query that have one value only. */
  fixed: [string, string][];
  isKeyed: boolean;
  /** It does the same when it arrives twice, also without a key. */
  isRepeatable: boolean;
  /** It takes an access key or a user's token, and nothing without them. */
  needsCredential: boolean;
  body: { type: string; isRequired: boolean } | "file" | undefined;
  /** The type of the result; nothing without a body. */
  result: string | "file" | undefined;
  /** The field with the entries of a page, and their type. */
  page: { field: string; entry: string } | undefined;
}
