import { cleanAddress } from "../../data/addresses.ts";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import {
  type ConsentRequest,
  recordPeopleConsents,
  type SuppressionRequest,
  suppressPeople,
} from "../../data/sdk.ts";
import { type CsvRow, readCsv } from "./read_csv.ts";

/** As many as the API takes at once. */
const MAX_ENTRIES = 1000;

export type LedgerKind = "suppressions" | "consents";

/** The columns of a file; others are not used. */
const COLUMNS: Record<LedgerKind, string[]> = {
  suppressions: ["number", "user_id", "channel", "category", "at", "detail"],
  consents: ["number", "user_id", "channel", "category", "status", "method", "detail", "consented_at"],
};

/** The outcome of a file. */
export interface Imported {
  added: number;
  already: number;
  errors: { line: number; field: string; reason: string }[];
}

/** Reads a file's rows. Returns undefined where no column names people. */
export function readRows(text: string): CsvRow[] | undefined {
  const rows = readCsv(text);
  const first = rows[0]?.cells ?? {};
  return "number" in first || "user_id" in first ? rows : undefined;
}

/** Records the rows, a thousand at a time, and reports how far it came. What was there before is not added twice. */
export async function importRows(
  kind: LedgerKind,
  rows: CsvRow[],
  onProgress: (done: number) => void,
): Promise<Imported> {
  const whole: Imported = { added: 0, already: 0, errors: [] };
  for (let from = 0; from < rows.length; from += MAX_ENTRIES) {
    const batch = rows.slice(from, from + MAX_ENTRIES);
    const { added, already, errors } = await record(kind, batch.map((row) => entryOf(kind, row)));
    whole.added += added;
    whole.already += already;
    whole.errors.push(
      ...errors.map(({ index, field, reason }) => ({ line: batch[index]!.line, field, reason })),
    );
    onProgress(from + batch.length);
  }
  return whole;
}

/** The API checks each entry by itself, and says which fields do not fit. */
function record(kind: LedgerKind, entries: Record<string, string>[]) {
  const request = { client: api(), path: { company_id: companyId() } };
  return kind === "suppressions"
    ? ask(suppressPeople({ ...request, body: { suppressions: entries as SuppressionRequest[] } }))
    : ask(recordPeopleConsents({ ...request, body: { consents: entries as unknown as ConsentRequest[] } }));
}

function entryOf(kind: LedgerKind, { cells }: CsvRow): Record<string, string> {
  const known = COLUMNS[kind].filter((name) => cells[name]);
  return Object.fromEntries(known.map((name) => [
    name,
    name === "number" ? cleanAddress(cells[name]!) : cells[name]!,
  ]));
}
