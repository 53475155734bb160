import operations from "../../sdk/typescript/src/generated/operations.json" with { type: "json" };

/** How the text of a flag becomes a value. `any` is JSON where it can be read as such, or else text. */
export type FlagType = "string" | "integer" | "number" | "boolean" | "array" | "any";

/** A part of a request that the command line can name. */
export interface Flag {
  /** Without the dashes at its beginning: `contact-number`. */
  name: string;
  in: "path" | "query" | "header" | "body";
  /** The name of a parameter, or the way to a field of the body: `["contact", "number"]`. */
  field: string[];
  type: FlagType;
  /** The values of an array. */
  items?: FlagType;
  nullable?: boolean;
  required?: boolean;
  /** Takes fields of the caller's own, of this type: `--contact.order A-1001`. */
  open?: FlagType;
  /** It may be given without the flag, in this order. */
  positional?: boolean;
  description?: string;
  values?: string[];
}

/** An operation of the API document as a command. */
export interface Operation {
  /** Its `operationId`. */
  id: string;
  resource: string;
  verb: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  summary: string;
  description?: string;
  flags: Flag[];
  /** The media types of its body. */
  body?: string[];
  /** The body takes fields of the caller's own, of this type: `--body.order A-1001`. */
  open?: FlagType;
  /** Whose credential it takes; none of them where it needs no account. */
  credentials: ("key" | "token")[];
  /** It returns a list in pages. */
  paged?: boolean;
  /** It may respond with something else than JSON. */
  other?: boolean;
  /** It cannot be undone, so that the program asks. */
  asks?: boolean;
  /** Where the ETag is that a change has to name. */
  etagPath?: string;
  /** The words after `outbound RESOURCE VERB` of a request that works. */
  example: string[];
}

/** Every operation, as `deno task sdk:generate` wrote them from the API document. */
export const OPERATIONS = operations as Operation[];
