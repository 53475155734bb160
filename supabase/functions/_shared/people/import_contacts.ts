import { type Actor, writeAudit } from "../db/access/audit.ts";
import type { Sql } from "../db/driver/connect.ts";
import { inTransaction } from "../db/driver/in_transaction.ts";
import { addAttributes, findUnfitAttributes, readAttributes } from "../db/people/attributes.ts";
import { learnContacts, type Learned, lockPeople } from "../db/people/contacts.ts";
import { badFormat } from "../errors.ts";
import { MAX_ATTRIBUTES, typeOf, unfitValue } from "./attributes.ts";
import { addLineError } from "../rows/line_errors.ts";
import type { ContactFile, PersonRow } from "./contact_file.ts";
import { fieldProblem } from "../contacts/ledger_entries.ts";

const ROWS_PER_BATCH = 1000;

/** How many contacts an import made, and changed. */
export interface ImportedContacts {
  created: number;
  changed: number;
}

/**
 * Checks the attributes of a file, and records its people a batch at a time, unless it is a dry run. Values that their
 * attribute cannot hold make their lines errors of `file`. Attributes that are new are added: with the type of the first
 * value in a file of JSON, as text in one of CSV.
 */
export async function importContacts(
  sql: Sql,
  companyId: string,
  { file, isDry }: { file: ContactFile; isDry: boolean },
  by: Actor,
): Promise<ImportedContacts | null> {
  await addNewAttributes(sql, companyId, { rows: file.rows, isDry }, by);
  const counts = { created: 0, changed: 0 };
  const fitting: PersonRow[] = [];
  for (let from = 0; from < file.rows.length; from += ROWS_PER_BATCH) {
    const batch = await withoutUnfit(sql, companyId, file, file.rows.slice(from, from + ROWS_PER_BATCH));
    fitting.push(...batch);
    if (isDry || batch.length === 0) continue;
    const learned = await recordBatch(sql, companyId, batch, by);
    counts.created += learned.filter(({ created }) => created).length;
    counts.changed += learned.filter(({ created, changed }) => changed && !created).length;
  }
  file.rows = fitting;
  return isDry ? null : counts;
}

async function addNewAttributes(
  sql: Sql,
  companyId: string,
  { rows, isDry }: { rows: PersonRow[]; isDry: boolean },
  by: Actor,
): Promise<void> {
  const known = new Set((await readAttributes(sql, companyId)).map(({ name }) => name));
  const found = new Map<string, ReturnType<typeof typeOf>>();
  for (const { person } of rows) {
    for (const [name, value] of Object.entries(person.attributes ?? {})) {
      if (!known.has(name) && !found.has(name)) found.set(name, typeOf(value));
    }
  }
  if (known.size + found.size > MAX_ATTRIBUTES) {
    throw badFormat(
      "columns",
      found.size,
      `at most ${MAX_ATTRIBUTES} attributes of a company; it has ${known.size}`,
    );
  }
  if (isDry || found.size === 0) return;
  const attributes = [...found].map(([name, type]) => ({ name, type }));
  await inTransaction(sql, async (on) => {
    await lockPeople(on, companyId);
    await addAttributes(on, companyId, attributes, by);
  });
}

async function withoutUnfit(
  sql: Sql,
  companyId: string,
  file: ContactFile,
  rows: PersonRow[],
): Promise<PersonRow[]> {
  const unfit = await findUnfitAttributes(sql, companyId, rows.map(({ person }) => person));
  const faults = new Map(unfit.toReversed().map((each) => [each.ord - 1, each]));
  return rows.filter(({ line, person }, index) => {
    const fault = faults.get(index);
    if (fault === undefined) return true;
    const problem = fieldProblem(unfitValue(fault, person.attributes?.[fault.name]));
    addLineError(file, { line, code: "validation_failed", ...problem });
    return false;
  });
}

async function recordBatch(sql: Sql, companyId: string, rows: PersonRow[], by: Actor): Promise<Learned[]> {
  return await inTransaction(sql, async (on) => {
    const learned = await learnContacts(on, companyId, rows.map(({ person }) => person), "import");
    const created = learned.filter((each) => each.created).length;
    const changed = learned.filter((each) => each.changed).length - created;
    if (created + changed > 0) {
      await writeAudit(on, companyId, { ...by, action: "contacts.imported", after: { created, changed } });
    }
    return learned;
  });
}
