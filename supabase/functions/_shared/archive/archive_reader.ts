import { createHash } from "node:crypto";
import { ARCHIVE_COLUMNS, type ArchivedRow } from "../db/archive/archived_rows.ts";
import type { ArchiveObject } from "../db/archive/archive_files.ts";
import type { MediaStore } from "../gateways/media_store/media_store.ts";
import { objectKey } from "../media/add_media.ts";

/** A file of the archive that is open for reading. */
export interface OpenArchive {
  /** Its rows in their order, group by group. */
  groups(): AsyncGenerator<ArchivedRow[]>;
  /** The rows of the person with these addresses. Reads only the groups that may have them. */
  find(addresses: string[]): Promise<ArchivedRow[]>;
}

const NAMES = Object.keys(ARCHIVE_COLUMNS) as (keyof ArchivedRow)[];
/** As the database wrote it. */
const PARSERS = { timestampFromMicroseconds: String };

/** A file is not in the store, or its bytes are not those that were written. */
export class ArchiveDamaged extends Error {}

/**
 * Opens a file by its last bytes, which say where the rest is. Rejects when it cannot be read.
 *
 * @throws {ArchiveDamaged} when it is not there
 */
export async function openArchive(
  store: MediaStore,
  companyId: string,
  { object_id, bytes }: Pick<ArchiveObject, "object_id" | "bytes">,
): Promise<OpenArchive> {
  const { parquetMetadataAsync, parquetReadObjects } = await import("hyparquet");
  const file = {
    byteLength: bytes,
    async slice(start: number, end = bytes): Promise<ArrayBuffer> {
      const found = await store.get(objectKey({ companyId, mediaId: object_id }), { start, end });
      if (found === null) throw new ArchiveDamaged(`The file ${object_id} is not in the media store`);
      const part = await new Response(found.body).arrayBuffer();
      if (part.byteLength === end - start) return part;
      throw new ArchiveDamaged(`The file ${object_id} is shorter than it was`);
    },
  };
  const metadata = await parquetMetadataAsync(file, { parsers: PARSERS });
  const options = { file, metadata, parsers: PARSERS, useBloomFilters: true };
  return {
    async *groups() {
      let rowStart = 0;
      for (const { num_rows } of metadata.row_groups) {
        const rowEnd = rowStart + Number(num_rows);
        yield (await parquetReadObjects({ ...options, rowStart, rowEnd })).map(rowOf);
        rowStart = rowEnd;
      }
    },
    async find(addresses) {
      const filter = { $or: [{ number: { $in: addresses } }, { user_id: { $in: addresses } }] };
      return (await parquetReadObjects({ ...options, filter })).map(rowOf);
    },
  };
}

/** Compares the whole of a file with what was written. Throws {@link ArchiveDamaged} when they differ. */
export async function checkArchive(
  store: MediaStore,
  companyId: string,
  { object_id, bytes, sha256 }: Pick<ArchiveObject, "object_id" | "bytes" | "sha256">,
): Promise<void> {
  const found = await store.get(objectKey({ companyId, mediaId: object_id }));
  if (found === null) throw new ArchiveDamaged(`The file ${object_id} is not in the media store`);
  const hash = createHash("sha256");
  let size = 0;
  for await (const part of found.body) {
    hash.update(part);
    size += part.byteLength;
  }
  if (size !== bytes || hash.digest("hex") !== sha256) {
    throw new ArchiveDamaged(`The bytes of the file ${object_id} are not those that were written`);
  }
}

function rowOf(row: Record<string, unknown>): ArchivedRow {
  return Object.fromEntries(NAMES.map((name) => [name, row[name] ?? null])) as ArchivedRow;
}
