import { checkArchive, openArchive } from "../../supabase/functions/_shared/archive/archive_reader.ts";
import { runArchive } from "../../supabase/functions/_shared/archive/run_archive.ts";
import { workOnFile } from "../../supabase/functions/_shared/archive/work_on_file.ts";
import {
  type ArchiveFile,
  beginArchiveTurn,
  beginRestore,
  claimArchiveFile,
  readArchivedCounts,
  readArchiveFiles,
} from "../../supabase/functions/_shared/db/archive/archive_files.ts";
import type { ArchiveIds } from "../../supabase/functions/_shared/db/archive/archived_rows.ts";
import type { MediaStore } from "../../supabase/functions/_shared/gateways/media_store/media_store.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies } from "../errors/refusals.ts";
import type { Session } from "../session.ts";
import { requireMediaStore } from "./require_media_store.ts";

type ArchiveSession = Pick<Session, "sql" | "mediaStore">;

/**
 * Archives what is old enough now, of one company or of all that want it. The next run retries what fails.
 *
 * @throws {CommandError} `not_found`, `not_configured`, or `refused` where the company does not archive
 */
export async function runNow(
  session: ArchiveSession,
  companyId: string | null,
  onProgress: (deleted: number, written: number) => void,
): Promise<{ deleted: number; files: number; problems: string[] }> {
  const { sql } = session;
  if (companyId !== null) await requireCompanies(sql, companyId);
  const services = { sql, mediaStore: requireMediaStore(session) };
  if (!await beginArchiveTurn(sql, companyId)) {
    throw new CommandError("refused", "Nothing is archived: an owner sets archive_after_days first");
  }
  const moved = { written: 0, deleted: 0, restored: 0 };
  const onStep = (did: keyof typeof moved, rows: number) => {
    moved[did] += rows;
    onProgress(moved.deleted, moved.written);
  };
  await runArchive(services, { companyId, onStep });
  const files = await readArchiveFiles(sql, companyId);
  const problems = files.flatMap(({ id, problem }) => problem === null ? [] : `${id}: ${problem}`);
  return { deleted: moved.deleted, files: files.length, problems };
}

/** A file that was read, and what is wrong with it. */
export interface CheckedFile extends Pick<ArchiveFile, "id" | "company_id" | "month" | "rows"> {
  problem: string | null;
}

/**
 * Reads the files of one company or of all, and compares them with what is known of them.
 *
 * @throws {CommandError} `not_found` or `not_configured`
 */
export async function verifyFiles(
  session: ArchiveSession,
  companyId: string | null,
  onProgress: (done: number, all: number) => void,
): Promise<CheckedFile[]> {
  const { sql } = session;
  if (companyId !== null) await requireCompanies(sql, companyId);
  const mediaStore = requireMediaStore(session);
  const files = (await readArchiveFiles(sql, companyId)).filter(({ state }) => state === "archived");
  const checked: CheckedFile[] = [];
  for (const file of files) {
    const { id, company_id, month, rows } = file;
    const problem = await problemOf({ sql, mediaStore }, file).catch((error) => (error as Error).message);
    checked.push({ id, company_id, month, rows, problem });
    onProgress(checked.length, files.length);
  }
  return checked;
}

async function problemOf(
  { sql, mediaStore }: { sql: Session["sql"]; mediaStore: MediaStore },
  file: ArchiveFile,
): Promise<string | null> {
  const { company_id: companyId, id: fileId } = file;
  await checkArchive(mediaStore, companyId, file);
  const open = await openArchive(mediaStore, companyId, file);
  const found = new Map<string, number>();
  for await (const rows of open.groups()) {
    for (const { campaign_id } of rows) found.set(campaign_id!, (found.get(campaign_id!) ?? 0) + 1);
  }
  const counted = await readArchivedCounts(sql, { companyId, fileId });
  const differing = [...new Set([...found.keys(), ...counted.keys()])]
    .find((id) => found.get(id) !== counted.get(id));
  if (differing === undefined) return null;
  return `It has ${found.get(differing) ?? 0} messages of the campaign ${differing}, of which ${
    counted.get(differing) ?? 0
  } were archived`;
}

/**
 * Puts the messages of a file back into the database, and deletes the file. Returns how many it has. A process that dies
 * leaves the rest to a dispatcher, or to the next call.
 *
 * @throws {CommandError} `not_found`, `not_configured`, or `refused` while another file of the company is being made
 */
export async function restoreFile(
  session: ArchiveSession,
  ids: ArchiveIds,
  onProgress: (done: number, all: number) => void,
): Promise<number> {
  const { sql } = session;
  const services = { sql, mediaStore: requireMediaStore(session) };
  const begun = await beginRestore(sql, ids).catch((error) => {
    if (error.constraint_name !== "archive_files_making_idx") throw error;
    throw new CommandError(
      "refused",
      "Another file of the company is being written: restore this one when it is done",
    );
  });
  if (!begun) throw new CommandError("not_found", `The company has no file ${ids.fileId}`);
  const file = await claimArchiveFile(sql, ids);
  let restored = 0;
  if (file === undefined) throw new CommandError("refused", "A dispatcher restores the file already");
  await workOnFile(services, file, {
    onStep: (_, rows) => onProgress(restored += rows, file.object?.rows ?? 0),
  });
  return restored;
}
