import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { importConsents, type ImportedPeople, importSuppressions } from "../../data/sdk.ts";

export type LedgerKind = "suppressions" | "consents";

/** A large file is checked line by line. */
const LIMITS = { timeoutMs: 600_000, totalMs: 600_000 };

export interface ImportOptions {
  /** Of numbers without a country code; undefined: that of the company's senders. */
  country: string | undefined;
  /** Only checks the lines. */
  isDry: boolean;
}

/** Lets the API read a file of people, and record them. */
export async function importFile(
  kind: LedgerKind,
  file: Blob,
  { country, isDry }: ImportOptions,
): Promise<ImportedPeople> {
  const record = kind === "suppressions" ? importSuppressions : importConsents;
  return await ask(record({
    client: api(),
    path: { company_id: companyId() },
    query: { dry_run: isDry ? "true" : "false", ...(country && { country }) },
    // The document describes the file as text, whose form a Blob takes as well.
    body: file as unknown as string,
    headers: { "Content-Type": "text/csv" },
    meta: { ...LIMITS },
  }));
}
