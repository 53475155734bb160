import { claimArchiveFile, planArchiveFile } from "../db/archive/archive_files.ts";
import { uuidv7 } from "../values/uuid.ts";
import { type ArchiveOptions, type ArchiveServices, MAX_ROWS, workOnFile } from "./work_on_file.ts";

/**
 * Writes, changes and empties the files of the archive that are due, of one company or of all, one after the other, until
 * nothing is left to do now. Any number of processes may do so at once. Rejects with the first file that fails; the next
 * call goes on with the others.
 */
export async function runArchive(
  services: ArchiveServices,
  { companyId = null, ...options }: ArchiveOptions & { companyId?: string | null } = {},
): Promise<void> {
  const { sql } = services;
  const { signal, maxRows = MAX_ROWS } = options;
  while (!signal?.aborted) {
    const file = await claimArchiveFile(sql, { companyId });
    if (file !== undefined) await workOnFile(services, file, options);
    else if (await planArchiveFile(sql, { fileId: uuidv7(), companyId, maxRows }) === "idle") return;
  }
}
