import { readAudience, resolveAudience } from "../../audiences/audience.ts";
import type { Actor } from "../../db/access/audit.ts";
import { insertUploadStart, lockUpload, type UploadIds } from "../../db/campaigns/uploads.ts";
import { fixMembers, readAudienceIds } from "../../db/contacts/audiences.ts";
import type { Match } from "../../db/contacts/match_sql.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { inTransaction } from "../../db/driver/in_transaction.ts";
import { AppError } from "../../errors.ts";
import type { FileRow } from "../../rows/file_row.ts";
import { audienceRows, MEMBERS_PER_READ } from "./audience_rows.ts";
import { MAX_ROWS, ROWS_PER_BATCH } from "./row_batches.ts";
import type { UploadPlan } from "./upload_plan.ts";

interface PlannedUpload extends UploadIds {
  plan: UploadPlan;
  now: Date;
}

/**
 * Starts an upload to an audience: fixes its members, which a dispatcher then sends to. Starts one that was stopped again,
 * with the same members. One that goes on, or is completed, stays as it is.
 *
 * Throws `validation_failed` for an empty audience and for what it names in vain, and `payload_too_large`.
 */
export async function startUpload(
  sql: Sql,
  { plan, now, apiKeyId, ...ids }: PlannedUpload & { apiKeyId: string },
  by: Actor,
): Promise<void> {
  const match = await matchOf(sql, { ...ids, plan, now });
  await inTransaction(sql, async (on) => {
    const upload = await lockUpload(on, ids);
    if (upload.completed_at !== null || upload.is_going_on) return;
    const members = upload.members === null
      ? checkedSize(await fixMembers(on, { ...ids, match }, { limit: MAX_ROWS, perBatch: ROWS_PER_BATCH }))
      : null;
    await insertUploadStart(on, { ...ids, apiKeyId, members }, by);
  });
}

/** Reads the members that an audience would have now, as rows. Throws as `startUpload` does. */
export async function readAudienceNow(sql: Sql, upload: PlannedUpload): Promise<AsyncIterable<FileRow>> {
  const { companyId, plan } = upload;
  const ids = await readAudienceIds(sql, { companyId, match: await matchOf(sql, upload) }, MAX_ROWS + 1);
  checkedSize(ids.length);
  async function* members(): AsyncGenerator<string[]> {
    for (let at = 0; at < ids.length; at += MEMBERS_PER_READ) yield ids.slice(at, at + MEMBERS_PER_READ);
  }
  return audienceRows(sql, { companyId, plan }, members());
}

async function matchOf(sql: Sql, { companyId, plan, now }: Omit<PlannedUpload, "uploadId">): Promise<Match> {
  return await resolveAudience(sql, { companyId, ...readAudience(plan.audience!, "audience"), now });
}

function checkedSize(members: number): number {
  if (members === 0) {
    const reason = "no contact belongs to it";
    throw new AppError("validation_failed", `'audience': ${reason}`, {
      details: { field: "audience", reason },
    });
  }
  if (members <= MAX_ROWS) return members;
  throw new AppError(
    "payload_too_large",
    `The audience has more than ${MAX_ROWS} people: divide it by a condition`,
    {
      details: { limit_rows: MAX_ROWS },
    },
  );
}
