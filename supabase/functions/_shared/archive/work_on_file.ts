import { expectMedia } from "../db/media/media_files.ts";
import {
  ArchiveLeaseLost,
  type ArchiveObject,
  type ClaimedFile,
  deleteArchiveFile,
  forgetErasures,
  inArchiveStep,
  passOverCampaigns,
  putOffArchiveFile,
  readErasures,
  settleArchiveFile,
  useArchiveObject,
} from "../db/archive/archive_files.ts";
import {
  type ArchivedRow,
  countStored,
  deleteArchived,
  lockToArchive,
  readIdsToArchive,
  readRowsToArchive,
  restoreRows,
} from "../db/archive/archived_rows.ts";
import type { Sql } from "../db/driver/connect.ts";
import type { MediaStore } from "../gateways/media_store/media_store.ts";
import { objectKey } from "../media/add_media.ts";
import { uuidv7 } from "../values/uuid.ts";
import { blankRow, isSameRow, rowToErase } from "./archived_row.ts";
import { checkArchive, openArchive } from "./archive_reader.ts";
import { GROUP_ROWS, writeArchive } from "./archive_writer.ts";

/** The services that the archive is written with. */
export interface ArchiveServices {
  sql: Sql;
  mediaStore: MediaStore;
}

/** The limits of a worker, and what it reports. */
export interface ArchiveOptions {
  /** Rows of a file at most. Its compressed bytes are in memory. @default MAX_ROWS */
  maxRows?: number;
  /** Ends the work between two steps. Another worker goes on. */
  signal?: AbortSignal | undefined;
  /** Called with the rows that a step wrote, deleted or put back. */
  onStep?: ((did: "written" | "deleted" | "restored", rows: number) => void) | undefined;
}

/** Some 10 MB of compressed messages. */
export const MAX_ROWS = 100_000;

/**
 * Does what there is to do on a file: writes its first version, takes erased people out of it, deletes its rows from the
 * database, or puts them back. Every step can be the last one of a process: the next worker goes on from it.
 *
 * A row leaves the database only in the transaction that finds it equal to its copy in the file. One that differs, because
 * a receipt or a reply came meanwhile, is written into the file first.
 *
 * Records why it failed, and rejects.
 */
export async function workOnFile(
  services: ArchiveServices,
  file: ClaimedFile,
  options: ArchiveOptions = {},
): Promise<void> {
  try {
    const object = await withoutErased(services, file, await firstVersion(services, file, options));
    if (object === null) {
      return await inArchiveStep(services.sql, file, async (on) => {
        await passOverCampaigns(on, file);
        await deleteArchiveFile(on, file);
      });
    }
    const isDone = file.state === "restoring"
      ? await restore(services, file, object, options)
      : file.state === "archived" || await deleteRows(services, file, object, options);
    if (!isDone) await putOffArchiveFile(services.sql, file, null);
    else if (file.state !== "restoring") {
      await inArchiveStep(services.sql, file, (on) => settleArchiveFile(on, file));
    }
  } catch (error) {
    if (error instanceof ArchiveLeaseLost) return;
    await putOffArchiveFile(services.sql, file, (error as Error).message).catch(() => {});
    throw error;
  }
}

/** Returns the version of a file that is stored. Writes the first one; null when nothing is left to write. */
async function firstVersion(
  services: ArchiveServices,
  file: ClaimedFile,
  { maxRows = MAX_ROWS, onStep }: ArchiveOptions,
): Promise<ArchiveObject | null> {
  const { sql } = services;
  if (file.object !== null || file.state === "restoring") return file.object;
  const ids = await readIdsToArchive(sql, file, maxRows);
  if (ids.length === 0) return null;
  async function* groups() {
    for (let start = 0; start < ids.length; start += GROUP_ROWS) {
      const some = ids.slice(start, start + GROUP_ROWS);
      const rows = await inArchiveStep(sql, file, (on) => readRowsToArchive(on, file.companyId, some));
      yield some.flatMap((id) => rows.get(id) ?? []);
      onStep?.("written", rows.size);
    }
  }
  return await storeVersion(services, file, groups());
}

/** Stores a version of a file, reads it back, and makes it the file together with what `also` changes. */
async function storeVersion(
  { sql, mediaStore }: ArchiveServices,
  file: ClaimedFile,
  groups: AsyncIterable<ArchivedRow[]>,
  also: (on: Sql) => Promise<void> = async () => {},
): Promise<ArchiveObject> {
  const { companyId } = file;
  const { bytes, facts } = await writeArchive(groups);
  const object = { ...facts, object_id: uuidv7() };
  const ids = { companyId, mediaId: object.object_id };
  await expectMedia(sql, ids, { bytes: 0, maxBytes: Number.MAX_SAFE_INTEGER });
  await mediaStore.put(objectKey(ids), {
    type: "application/vnd.apache.parquet",
    length: bytes.byteLength,
    body: new Blob([bytes]).stream(),
  });
  await checkArchive(mediaStore, companyId, object);
  await inArchiveStep(sql, file, async (on) => {
    await useArchiveObject(on, file, object);
    await also(on);
  });
  return object;
}

/** Writes a file without whom it may not hold any more: people who were erased, and what companies no longer keep. */
async function withoutErased(
  services: ArchiveServices,
  file: ClaimedFile,
  object: ArchiveObject | null,
): Promise<ArchiveObject | null> {
  const { companyId, erasures, people_before, transcripts_before } = file;
  if (object === null) return null;
  const isDue = isBefore(object.people_from, people_before) ||
    isBefore(object.transcripts_from, transcripts_before);
  if (!isDue && erasures.length === 0) return object;
  const open = await openArchive(services.mediaStore, companyId, object);
  const forget = (on: Sql) => forgetErasures(on, file, erasures);
  if (!isDue && (await open.find(erasures)).length === 0) {
    await inArchiveStep(services.sql, file, forget);
    return object;
  }
  async function* groups() {
    for await (const rows of open.groups()) {
      yield rows.map((row) => blankRow(row, rowToErase(row, file)));
    }
  }
  return await storeVersion(services, file, groups(), forget);
}

function isBefore(time: Date | null, bound: Date | null): boolean {
  return time !== null && bound !== null && time < bound;
}

/** Deletes the rows of a file from the database. Returns whether all are gone. */
async function deleteRows(
  services: ArchiveServices,
  file: ClaimedFile,
  object: ArchiveObject,
  options: ArchiveOptions,
): Promise<boolean> {
  const { companyId } = file;
  const open = await openArchive(services.mediaStore, companyId, object);
  const changed = new Map<string, ArchivedRow>();
  let areAllGone = true;
  for await (const rows of open.groups()) {
    if (options.signal?.aborted) return false;
    const ids = rows.map(({ id }) => id!);
    await inArchiveStep(services.sql, file, async (on) => {
      const current = await readRowsToArchive(on, companyId, await lockToArchive(on, companyId, ids));
      const equal: string[] = [];
      for (const row of rows) {
        const now = current.get(row.id!);
        if (now === undefined) continue;
        if (isSameRow(row, now)) equal.push(row.id!);
        else changed.set(row.id!, now);
      }
      await deleteArchived(on, file, equal);
      areAllGone &&= await countStored(on, companyId, ids) === 0;
      options.onStep?.("deleted", equal.length);
    });
  }
  if (changed.size === 0) return areAllGone;
  async function* groups() {
    for await (const rows of open.groups()) yield rows.map((row) => changed.get(row.id!) ?? row);
  }
  return await deleteRows(services, file, await storeVersion(services, file, groups()), options);
}

/** Puts the rows of a file back into the database, and deletes the file. Returns whether it came to the end. */
async function restore(
  { sql, mediaStore }: ArchiveServices,
  file: ClaimedFile,
  object: ArchiveObject,
  { signal, onStep }: ArchiveOptions,
): Promise<boolean> {
  const open = await openArchive(mediaStore, file.companyId, object);
  for await (const rows of open.groups()) {
    if (signal?.aborted) return false;
    await inArchiveStep(sql, file, async (on) => {
      // Of this moment: who is erased from here on is found in the database.
      const erasures = await readErasures(on, file);
      await restoreRows(on, file, rows.map((row) => blankRow(row, rowToErase(row, { ...file, erasures }))));
    });
    onStep?.("restored", rows.length);
  }
  await inArchiveStep(sql, file, (on) => deleteArchiveFile(on, file));
  return true;
}
