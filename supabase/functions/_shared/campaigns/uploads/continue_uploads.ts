import { readMembers } from "../../db/contacts/audiences.ts";
import { type ClaimedUpload, claimUpload, releaseUpload } from "../../db/campaigns/uploads.ts";
import type { Sql } from "../../db/driver/connect.ts";
import type { CampaignServices } from "../queue_campaign.ts";
import { audienceRows, MEMBERS_PER_READ } from "./audience_rows.ts";
import { batchesOf, ROWS_PER_BATCH } from "./row_batches.ts";
import { type OpenedBatches, sendUpload } from "./send_upload.ts";
import { readStoredPlan, type UploadPlan } from "./upload_plan.ts";

/** How long one upload is gone on with before the next one has its turn. */
const STEP_MS = 2000;

/** Far longer than a step: a worker that takes longer has died, or lost its database. */
const LEASE_S = 15;

/**
 * Goes on with the uploads to audiences that were started, a step of each in turn, until none is left or `signal` aborts.
 * A step that fails is repeated after its lease, by any dispatcher.
 */
export async function continueUploads(services: CampaignServices, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claimUpload(services.sql, { leaseS: LEASE_S });
    if (claimed === undefined) return;
    await continueUpload(services, claimed);
  }
}

async function continueUpload(services: CampaignServices, claimed: ClaimedUpload): Promise<void> {
  const { company_id: companyId, upload_id: uploadId, key_hash: keyHash, started_by } = claimed;
  const ids = { companyId, uploadId };
  const plan = readStoredPlan(claimed.plan);
  const endsAt = performance.now() + STEP_MS;
  const { kind, run } = await sendUpload(services, {
    ...ids,
    plan,
    // A key that is gone is refused as one that was revoked.
    keyHash: keyHash ?? "",
    open: (recorded) => ({
      after: recorded,
      batches: batchesOf(rowsAfter(services.sql, { ...ids, plan }, recorded.position), plan, recorded),
    } satisfies OpenedBatches),
    by: { actor: started_by },
    isOver: () => performance.now() > endsAt,
  });
  if (kind !== "done") await releaseUpload(services.sql, { ...ids, run }, { isStopped: kind === "refused" });
}

function rowsAfter(
  sql: Sql,
  { companyId, uploadId, plan }: { companyId: string; uploadId: string; plan: UploadPlan },
  position: number,
) {
  async function* members(): AsyncGenerator<string[]> {
    const batches = MEMBERS_PER_READ / ROWS_PER_BATCH;
    for (let after = position;; after += batches) {
      const ids = await readMembers(sql, { companyId, uploadId, after, batches });
      if (ids.length > 0) yield ids;
      if (ids.length < MEMBERS_PER_READ) return;
    }
  }
  return audienceRows(sql, { companyId, plan }, members(), position * ROWS_PER_BATCH + 1);
}
