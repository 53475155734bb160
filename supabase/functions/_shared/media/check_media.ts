import type { Sql } from "../db/driver/connect.ts";
import { findMediaFile } from "../db/media/media_files.ts";
import { badFormat } from "../errors.ts";

/** Throws `validation_failed` naming `field` unless the company has uploaded such a file, of this kind. */
export async function checkMedia(
  sql: Sql,
  { companyId, mediaId, kind, field }: { companyId: string; mediaId: string; kind: string; field: string },
): Promise<void> {
  const file = await findMediaFile(sql, { companyId, mediaId });
  if (file?.kind === kind) return;
  const expected = `the media_id of a file of yours, of kind ${kind}`;
  throw badFormat(
    field,
    mediaId,
    file === undefined ? expected : `${expected}; this one is of kind ${file.kind}`,
  );
}
