import { ARCHIVE_COLUMNS, type ArchivedRow } from "../db/archive/archived_rows.ts";
import type { ClaimedFile } from "../db/archive/archive_files.ts";
import { endOf, namesPerson, saidAt } from "./archive_writer.ts";

/** The part of a row to take out: the person with all that names them, or only what was said in a call. */
export type Erased = "person" | "transcript" | null;

const NAMES = Object.keys(ARCHIVE_COLUMNS) as (keyof ArchivedRow)[];

/** Returns what a row of a file may not hold any more. */
export function rowToErase(
  row: ArchivedRow,
  { erasures, people_before, transcripts_before }: ClaimedFile,
): Erased {
  const { number, user_id } = row;
  if ([number, user_id].some((address) => address !== null && erasures.includes(address))) return "person";
  if (people_before !== null && namesPerson(row) && endOf(row) < people_before) return "person";
  const said = saidAt(row);
  return said !== null && transcripts_before !== null && said < transcripts_before ? "transcript" : null;
}

/** Returns a row without what is to be taken out: what happened and when stays, as in the database (`erase_notifications`). */
export function blankRow(row: ArchivedRow, erased: Erased): ArchivedRow {
  if (erased === null) return row;
  const { call } = row;
  const silent = {
    ...row,
    call: call === null ? null : JSON.stringify({ ...JSON.parse(call), summary: null, transcript: null }),
  };
  if (erased === "transcript") return silent;
  const attempts = row.attempts === null ? null : JSON.stringify(
    JSON.parse(row.attempts).map((attempt: object) => ({ ...attempt, platform_message_id: null })),
  );
  return {
    ...silent,
    attempts,
    number: null,
    user_id: null,
    message: "{}",
    metadata: null,
    platform_message_id: null,
  };
}

/** Whether a row of a file is what the database has. */
export function isSameRow(row: ArchivedRow, stored: ArchivedRow): boolean {
  return NAMES.every((name) => row[name] === stored[name]);
}
