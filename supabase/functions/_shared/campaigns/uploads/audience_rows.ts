import { type AudienceRow, readAudienceRows } from "../../db/contacts/audiences.ts";
import type { Sql } from "../../db/driver/connect.ts";
import type { FileRow } from "../../rows/file_row.ts";
import type { UploadPlan } from "./upload_plan.ts";

/** Members that are read at once. */
export const MEMBERS_PER_READ = 1000;

/**
 * Reads the members of an audience as rows: the fields of contacts by the names that columns have, and as their source
 * only who it is, so that a batch stays the same when a contact changes. The next members are read while these are used.
 *
 * @param members their ids, in lists, in their order
 * @param first the row of the first one
 */
export async function* audienceRows(
  sql: Sql,
  { companyId, plan }: { companyId: string; plan: UploadPlan },
  members: AsyncIterable<string[]>,
  first = 1,
): AsyncGenerator<FileRow> {
  const isMarketing = plan.fields.notification_type === "marketing";
  const read = async (ids: string[]) =>
    await readAudienceRows(sql, { companyId, ids, channel: plan.channel, isMarketing });
  let row = first;
  let before: Promise<AudienceRow[]> | undefined;
  for await (const ids of members) {
    const next = read(ids);
    // A reader that stops meanwhile waits for it no more.
    next.catch(() => {});
    for (const member of await before ?? []) yield rowOf(member, row++);
    before = next;
  }
  for (const member of await before ?? []) yield rowOf(member, row++);
}

const PROBLEMS = {
  gone: { problem: "The contact was erased or merged since the members were fixed", code: "contact_gone" },
  optedOut: { problem: "The person does not want such messages", code: "recipient_opted_out" },
  none: { problem: null },
} as const;

function rowOf(
  { contact_id, is_gone, is_opted_out, attributes, ...fields }: AudienceRow,
  row: number,
): FileRow {
  const ofAttributes = Object.entries(attributes ?? {}).map(([name, value]) => [`attribute.${name}`, value]);
  return {
    row,
    line: row,
    bytes: 0,
    cells: { ...fields, ...Object.fromEntries(ofAttributes) },
    source: contact_id,
    ...PROBLEMS[is_gone ? "gone" : is_opted_out ? "optedOut" : "none"],
  };
}
