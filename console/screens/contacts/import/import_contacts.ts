import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import {
  addContactAttributes,
  type ContactAttribute,
  importContacts,
  type ImportedContacts,
} from "../../../data/sdk.ts";
import type { ContactFile } from "../../compose/upload/contact_file.ts";

/** A large file is checked line by line. */
const LIMITS = { timeoutMs: 600_000, totalMs: 600_000 };

/** How a file is read. */
export interface ImportPlan {
  /** Which column is which field, as the API names them; null: none. Empty: as the company's files had them before. */
  columns: Record<string, string | null>;
  /** Of numbers without a country code; undefined: that of the company's senders. */
  country: string | undefined;
  /** Whether the file wins over what contacts have. */
  overwrites: boolean;
}

/** Lets the API check each row of a file of contacts, or keep them. It remembers the columns of a file that it keeps. */
export async function importFile(
  { body, type }: Pick<ContactFile, "body" | "type">,
  { columns, country, overwrites }: ImportPlan,
  { isDry }: { isDry: boolean },
): Promise<ImportedContacts> {
  return await ask(importContacts({
    client: api(),
    path: { company_id: companyId() },
    query: {
      dry_run: isDry ? "true" : "false",
      overwrite: overwrites ? "true" : "false",
      ...(Object.keys(columns).length > 0 && { columns: JSON.stringify(columns) }),
      ...(country && { country }),
    },
    // The document describes the file as text, whose form a Blob takes as well.
    body: body as unknown as string,
    headers: { "Content-Type": type },
    meta: { ...LIMITS },
  }));
}

/** Adds the attributes that a file brings along, with the types that were chosen. */
export async function addAttributes(attributes: ContactAttribute[]): Promise<void> {
  if (attributes.length === 0) return;
  await ask(addContactAttributes({ client: api(), path: { company_id: companyId() }, body: { attributes } }));
}
