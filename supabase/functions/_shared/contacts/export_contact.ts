import type { Sql } from "../db/driver/connect.ts";
import {
  type ExportedRow,
  readExportedMessages,
  readExportedNotifications,
  readPersonFacts,
} from "../db/contacts/contact_export.ts";
import { type Actor, writeAudit } from "../db/access/audit.ts";
import type { Address } from "../values/address.ts";

/** Whose data is exported, and at whose request. */
export interface ExportRequest extends Address {
  companyId: string;
  /** For the audit: `key:<id>` or `cli`. */
  actor: Actor["actor"];
  requestId: string | null;
}

/**
 * Returns everything that is known about a person, under every known address, as the parts of one JSON object. Whatever
 * its size, one page of it is in memory. The company's audit gets an entry before anything is read.
 */
export async function* exportContact(
  sql: Sql,
  { companyId, actor, requestId, ...person }: ExportRequest,
): AsyncGenerator<string> {
  await writeAudit(sql, companyId, { actor, action: "contact.exported", requestId: requestId ?? undefined });
  const { addresses, ...facts } = await readPersonFacts(sql, companyId, person);
  yield JSON.stringify({ addresses, ...facts }).slice(0, -1);
  yield* listOf("notifications", addresses, (address) => readExportedNotifications(sql, companyId, address));
  yield* listOf("messages", addresses, (address) => readExportedMessages(sql, companyId, address));
  yield "}";
}

/** Writes a list of all pages of all addresses. What was sent to a number and a user id at once is in it once. */
async function* listOf(
  name: string,
  addresses: string[],
  pagesOf: (address: string) => AsyncGenerator<ExportedRow[]>,
): AsyncGenerator<string> {
  const written: string[] = [];
  let before = `,"${name}":[`;
  for (const address of addresses) {
    for await (const page of pagesOf(address)) {
      const rows = page.filter(({ row }) => !isWritten(row, written));
      if (rows.length === 0) continue;
      yield before + rows.map(({ row }) => JSON.stringify(row)).join(",");
      before = ",";
    }
    written.push(address);
  }
  yield before === "," ? "]" : `${before}]`;
}

function isWritten(row: unknown, written: string[]): boolean {
  const { number, user_id } = row as Partial<Address>;
  return written.some((address) => address === number || address === user_id);
}
