import { createHash } from "node:crypto";
import { ARCHIVE_COLUMNS, type ArchivedRow } from "../db/archive/archived_rows.ts";
import type { ArchiveObject } from "../db/archive/archive_files.ts";

/**
 * Rows of a row group. It is what a reader takes at a time, and what is deleted in one transaction. To compress it takes
 * some 50 ms, during which the process does nothing else.
 */
export const GROUP_ROWS = 2000;

/** A file in memory, compressed, with what is known of its rows. */
export interface WrittenFile {
  bytes: Uint8Array<ArrayBuffer>;
  facts: Omit<ArchiveObject, "object_id">;
}

const TYPES = {
  uuid: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, logical_type: { type: "UUID" } },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  int: { type: "INT32" },
  boolean: { type: "BOOLEAN" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MICROS" },
} as const;

const COLUMNS = Object.entries(ARCHIVE_COLUMNS) as [keyof ArchivedRow, keyof typeof TYPES][];

const SCHEMA = [
  { name: "notifications", num_children: COLUMNS.length },
  ...COLUMNS.map(([name, type]) => ({ name, repetition_type: "OPTIONAL" as const, ...TYPES[type] })),
];

/**
 * Writes rows as a Parquet file, group by group: only the compressed bytes of all of it are in memory. The rows of a
 * person are side by side, so the statistics of the groups lead to them.
 *
 * @throws Error when there are none
 */
export async function writeArchive(
  groups: AsyncIterable<ArchivedRow[]>,
): Promise<WrittenFile> {
  // Loaded here: most processes never archive.
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema: [...SCHEMA], createdBy: "outbound" });
  const facts = createFacts();
  for await (const rows of groups) {
    rows.forEach(facts.add);
    parquet.write({
      columnData: COLUMNS.map(([name, type]) => ({
        name,
        data: rows.map((row) =>
          type === "time" && row[name] !== null ? BigInt(row[name] as string) : row[name]
        ),
        bloomFilter: name === "number" || name === "user_id",
      })),
      rowGroupSize: GROUP_ROWS,
    });
  }
  parquet.finish();
  const bytes = new Uint8Array(writer.getBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { bytes, facts: { ...facts.read(), bytes: bytes.byteLength, sha256 } };
}

function createFacts() {
  let rows = 0;
  let first = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  let last = "00000000-0000-0000-0000-000000000000";
  let people = Infinity;
  let transcripts = Infinity;
  return {
    add(row: ArchivedRow) {
      rows++;
      const id = row.id!;
      if (id < first) first = id;
      if (id > last) last = id;
      if (namesPerson(row)) people = Math.min(people, endOf(row).getTime());
      const said = saidAt(row);
      if (said !== null) transcripts = Math.min(transcripts, said.getTime());
    },
    read() {
      if (rows === 0) throw new Error("A file of the archive needs a row");
      const time = (ms: number) => ms === Infinity ? null : new Date(ms);
      return {
        rows,
        first_id: first,
        last_id: last,
        people_from: time(people),
        transcripts_from: time(transcripts),
      };
    },
  };
}

/** Whether a row still says who the recipient is. */
export function namesPerson({ number, user_id }: ArchivedRow): boolean {
  return number !== null || user_id !== null;
}

/** When a notification was over. */
export function endOf({ created_at, sent_at, failed_at, skipped_at }: ArchivedRow): Date {
  const times = [created_at, sent_at, failed_at, skipped_at].map((micros) => Number(micros ?? 0) / 1000);
  return new Date(Math.max(...times));
}

/** When the call of a row began of which the file has what was said; null without. */
export function saidAt({ call }: ArchivedRow): Date | null {
  if (call === null) return null;
  const { summary, transcript, started_at } = JSON.parse(call);
  return summary === null && transcript === null ? null : new Date(`${started_at}Z`);
}
