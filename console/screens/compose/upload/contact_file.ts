/** The cells of a row by the names of their columns. */
export type Cells = Record<string, string>;

/** A file of contacts, of which only the beginning is read. */
export interface ContactFile {
  name: string;
  /** The content as the API reads it; of a workbook it is CSV. */
  body: Blob;
  type: "text/csv" | "application/x-ndjson";
  columns: string[];
  /** The first rows. */
  rows: Cells[];
  /** How many rows it has; a guess from its size where only its beginning was read. */
  count: number;
  isExact: boolean;
  /** Its first line is a person's, so the columns are named here. */
  isHeadless: boolean;
  /** The text that was typed, where it is no file. */
  typed?: Blob;
}

/** Makes a file of contacts that were typed or pasted. */
export function typedFile(text: string): File {
  return new File([text], TYPED_NAME, { type: "text/csv" });
}

/** The name of what was typed, which no file has. */
export const TYPED_NAME = "";
