import type { Schema } from "./go_schema.ts";

/** A parameter of an operation. */
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

/** The forms of a body, by their media types. */
export type Content = Record<string, { schema?: Schema }>;

/** An operation as the document describes it. */
export interface Described {
  operationId: string;
  tags: string[];
  security?: Record<string, string[]>[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

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
