import { claimArchiveFile, planArchiveFile } from "../db/archive/archive_files.ts";
import { uuidv7 } from "../values/uuid.ts";
import { type ArchiveOptions, type ArchiveServices, MAX_ROWS, workOnFile } from "./work_on_file.ts";

/**
 * Writes, changes and empties the files of the archive that are due, of one company or of all, one after the other, until
 * nothing is left to do now. Any number of processes may do so at once. A file that fails keeps no other waiting: rejects
 * at the end, with what kept the first one.
 */
export async function runArchive(
  services: ArchiveServices,
  { companyId = null, ...options }: ArchiveOptions & { companyId?: string | null } = {},
): Promise<void> {
  const { sql } = services;
  const { signal, maxRows = MAX_ROWS } = options;
  const failures: unknown[] = [];
  while (!signal?.aborted) {
    const file = await claimArchiveFile(sql, { companyId });
    if (file !== undefined) await workOnFile(services, file, options).catch((error) => failures.push(error));
    else if (await planArchiveFile(sql, { fileId: uuidv7(), companyId, maxRows }) === "idle") break;
  }
  if (failures.length > 0) throw failures[0];
}
