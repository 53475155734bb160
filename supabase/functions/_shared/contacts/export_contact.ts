import {
  type ExportedRow,
  readExportedChatMessages,
  readExportedChats,
  readExportedMessages,
  readExportedNotes,
  readExportedNotifications,
  readPersonFacts,
  readThreads,
} from "../db/contacts/contact_export.ts";
import { searchArchive, type SearchServices } from "../archive/search_archive.ts";
import { exportedRow } from "../archive/show_archived.ts";
import { type Actor, writeAudit } from "../db/access/audit.ts";
import { readContacts } from "../db/people/contacts.ts";
import { noContact } from "../people/change_contact.ts";
import type { Address, PersonKey } from "../values/address.ts";

/** Whose data is exported, and at whose request. */
export interface ExportRequest extends PersonKey {
  companyId: string;
  /** For the audit: `key:<id>` or `cli`. */
  actor: Actor["actor"];
  requestId: string | null;
}

/**
 * Returns everything that is known about a person, under every known address, as the parts of one JSON object. Whatever
 * its size, one page of it is in memory. The company's audit gets an entry before anything goes out. Throws `not_found`
 * for a contact that the company does not have.
 */
export async function* exportContact(
  services: SearchServices,
  { companyId, actor, requestId, ...person }: ExportRequest,
): AsyncGenerator<string> {
  const { sql } = services;
  const { addresses, contacts, ...facts } = await readPersonFacts(sql, companyId, person);
  if (person.contact_id !== null && contacts.length === 0) throw noContact();
  await writeAudit(sql, companyId, { actor, action: "contact.exported", requestId: requestId ?? undefined });
  const [contact = null] = await readContacts(sql, companyId, contacts.slice(0, 1));
  yield JSON.stringify({ contact, addresses, ...facts }).slice(0, -1);
  const read = (reader: typeof readExportedChats) => (key: string) => reader(sql, companyId, key);

  async function* chats(): AsyncGenerator<string> {
    for await (const page of pagesOf(contacts, read(readExportedChats))) {
      yield* page.map(({ id }) => id);
    }
  }

  async function* conversations(): AsyncGenerator<string> {
    yield* await readThreads(sql, companyId, addresses);
    yield* chats();
  }

  const unreadable: string[] = [];

  // The archive last: what leaves the database meanwhile is in one of both, and is written once.
  async function* notifications(): Pages {
    const written = new Set<string>();
    for await (const page of onceEach(addresses, read(readExportedNotifications))) {
      page.forEach(({ id }) => written.add(id));
      yield page;
    }
    for (const file of await searchArchive(services, { companyId, addresses })) {
      const found = await file.read();
      if (found === null) unreadable.push(file.fileId);
      yield (found ?? []).filter(({ row }) => !written.has(row.id!))
        .map(({ row, campaign }) => ({ id: row.id!, row: exportedRow(row, campaign) }));
    }
  }

  yield* listOf("notifications", notifications());
  yield* listOf("messages", onceEach(addresses, read(readExportedMessages)));
  yield* listOf("chats", pagesOf(contacts, read(readExportedChats)));
  yield* listOf("chat_messages", pagesOf(chats(), read(readExportedChatMessages)));
  yield* listOf("notes", pagesOf(conversations(), read(readExportedNotes)));
  yield `,"unreadable_archive_files":${JSON.stringify(unreadable)}}`;
}

type Pages = AsyncGenerator<ExportedRow[]>;

/** Reads the pages of one key after the other. */
async function* pagesOf(keys: Iterable<string> | AsyncIterable<string>, read: (key: string) => Pages): Pages {
  for await (const key of keys) yield* read(key);
}

/** The same for addresses. What was sent to a number and a user id at once is in it once. */
async function* onceEach(addresses: string[], read: (address: string) => Pages): Pages {
  for (const [index, address] of addresses.entries()) {
    const written = addresses.slice(0, index);
    for await (const page of read(address)) yield page.filter(({ row }) => !isWritten(row, written));
  }
}

/** Writes a list of all pages. */
async function* listOf(name: string, pages: Pages): AsyncGenerator<string> {
  let before = `,"${name}":[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map(({ row }) => JSON.stringify(row)).join(",");
    before = ",";
  }
  yield before === "," ? "]" : `${before}]`;
}

function isWritten(row: unknown, written: string[]): boolean {
  const { number, user_id } = row as Partial<Address>;
  return written.some((address) => address === number || address === user_id);
}
