import { readFirstResponse } from "../../db/queue/accept_notifications.ts";
import type { Actor } from "../../db/access/audit.ts";
import {
  recordBatch,
  type UploadIds,
  type UploadProgress,
  type UploadRun,
} from "../../db/campaigns/uploads.ts";
import { AppError, isServerFault, type Refusal } from "../../errors.ts";
import type { DetailedBulkResponse } from "../batch.ts";
import { type CampaignServices, queueCampaign } from "../queue_campaign.ts";
import type { RowBatch, RowContact } from "./row_batches.ts";
import { refusedRow, type RowProblem } from "./row_contact.ts";
import type { PlannedRequest, UploadPlan } from "./upload_plan.ts";

/** Of the refused rows, so many are named. */
export const MAX_PROBLEMS = 200;

/**
 * Stores one batch after the other: a batch is planned while the one before is stored, and stored while that one is
 * recorded. No batch is stored before the one before it is, so what is stored has no gaps.
 */
export interface UploadStep {
  /** Whether a batch may be stored that is not recorded. */
  readonly isInDoubt: boolean;
  /** Begins to store a batch; resolves when the one before is recorded. Throws what keeps one of them from it. */
  send(batch: RowBatch): Promise<void>;
  /** Resolves when all batches are recorded, and nothing is under way. Throws what keeps the first of the others from it. */
  finish(): Promise<void>;
}

/** An upload that is sent. */
export interface StepInput extends UploadIds {
  plan: UploadPlan;
  planned: PlannedRequest;
  /** Of the key that the notifications count for. */
  keyHash: string;
  /** For the audit. */
  by: Actor;
}

/** The batch that is recorded next, and the one behind it. */
const MAX_UNRECORDED = 2;

/** Makes what stores the batches of an upload behind those that are recorded. */
export function createUploadStep(services: CampaignServices, input: StepInput, run: UploadRun): UploadStep {
  const ids = { companyId: input.companyId, uploadId: input.uploadId, run: run.run };
  let progress: UploadProgress = run;
  let campaignId = run.campaign_id;
  let batchesInDoubt = run.was_in_doubt ? MAX_UNRECORDED : 0;
  // Of the last batch.
  let stored: Promise<unknown> = Promise.resolve();
  let recorded: Promise<void> = Promise.resolve();

  async function storeAfter(before: Promise<unknown>, batch: RowBatch): Promise<StoredBatch> {
    const contacts = placesOf(batch, input.plan);
    if (contacts.length === 0) {
      await before;
      // A batch that may be stored is sent again; one without contacts must not take its place.
      if (batchesInDoubt > 0 && await isStored(services, input, batch.position)) {
        throw AppError.from(differs());
      }
      return { ...NOTHING, refused: batch.problems };
    }
    const add: CampaignServices["acceptances"]["add"] = async (request) => {
      await before;
      return await services.acceptances.add(request);
    };
    const outcome = await store({ ...services, acceptances: { add } }, input, {
      batch,
      contacts,
      campaignId,
    });
    if ("code" in outcome) throw AppError.from(outcome);
    campaignId = outcome.campaignId;
    return outcome;
  }

  async function record(
    before: Promise<void>,
    batch: RowBatch,
    storing: Promise<StoredBatch>,
  ): Promise<void> {
    await before;
    const changed = withBatch(progress, batch, await storing.catch(refused));
    const problems = changed.problems === progress.problems ? null : changed.problems;
    if (!await recordBatch(services.sql, ids, { ...changed, problems }, input.by)) {
      throw AppError.from(takenOver());
    }
    progress = changed;
    batchesInDoubt = Math.max(0, batchesInDoubt - 1);
  }

  function refused(error: unknown): never {
    if (error instanceof AppError && !LEAVE_OPEN.has(error.code) && !isServerFault(error)) batchesInDoubt = 0;
    throw error;
  }

  return {
    get isInDoubt() {
      return batchesInDoubt > 0;
    },
    async send(batch) {
      // The first batch makes the campaign that the others add to.
      if (campaignId === null) await stored;
      const recordedBefore = recorded;
      const storing = storeAfter(stored, batch);
      stored = storing;
      recorded = record(recordedBefore, batch, storing);
      // They are awaited later; a refusal of an earlier batch is thrown first.
      for (const outcome of [stored, recorded]) outcome.catch(() => {});
      await recordedBefore;
    },
    finish: () => recorded.finally(() => stored.catch(() => {})),
  };
}

/**
 * Refusals that do not say that the batch is not stored: another batch is stored under its key, another request is
 * storing one, or the key was not known. Before every other refusal the service looks for a first response.
 */
const LEAVE_OPEN: ReadonlySet<string> = new Set(["upload_differs", "idempotency_key_in_use", "unauthorized"]);

/**
 * Returns the contacts with which a batch is stored. In an audience each row keeps its place, with an empty contact if it
 * is refused here: when the batch is stored again, another contact may be gone, and the first response still fits.
 */
function placesOf({ contacts, problems }: RowBatch, { audience }: UploadPlan): RowContact[] {
  if (audience === null) return contacts;
  const refused = problems.map(({ row, line }) => ({ row, line, contact: {} }));
  return [...contacts, ...refused].sort((a, b) => a.row - b.row);
}

/** The outcome of the rows of a batch. */
interface StoredBatch {
  campaignId: string | null;
  accepted: number;
  refused: RowProblem[];
  warnings: string[];
}

const NOTHING: StoredBatch = { campaignId: null, accepted: 0, refused: [], warnings: [] };

/** Stores a batch as a notification request would. */
async function store(
  services: CampaignServices,
  { uploadId, keyHash, plan, planned: { channel, request } }: StepInput,
  { batch, contacts, campaignId }: { batch: RowBatch; contacts: RowContact[]; campaignId: string | null },
): Promise<StoredBatch | Refusal> {
  const { position, fingerprint } = batch;
  const problems = new Map(batch.problems.map((problem) => [problem.row, problem]));
  const result = await queueCampaign(services, channel, {
    keyHash,
    request: { ...request, contacts: contacts.map(({ contact }) => contact) },
    campaignId,
    more: true,
    unmetered: true,
    idempotent: { ...batchKey(uploadId, position), requestHash: fingerprint },
  });
  if (result.kind === "failed") throw result.error;
  if (result.kind === "refused") {
    const isOtherFile = result.refusal.code === "idempotency_key_reused";
    return isOtherFile ? differs() : result.refusal;
  }
  const response = result.response as unknown as DetailedBulkResponse;
  const refused = response.errors.map((error) => {
    const contact = contacts[error.index]!;
    return problems.get(contact.row) ?? refusedRow(contact, error, plan);
  });
  return {
    campaignId: response.inquiry_set_id,
    accepted: response.processed,
    // A problem without an error: the first time, the member was accepted.
    refused: plan.audience === null ? [...batch.problems, ...refused] : refused,
    // A warning without `index` is about so many contacts, or about every one.
    warnings: (response.warnings ?? []).flatMap(({ code, index, contacts = response.processed }) =>
      index === undefined ? new Array<string>(contacts).fill(code) : code
    ),
  };
}

function withBatch(before: UploadProgress, batch: RowBatch, stored: StoredBatch): UploadProgress {
  const refused = stored.refused.toSorted((a, b) => a.row - b.row);
  const named = refused.slice(0, MAX_PROBLEMS - before.problems.length);
  return {
    campaign_id: stored.campaignId ?? before.campaign_id,
    batches: batch.position,
    fingerprint: batch.fingerprint,
    rows: before.rows + batch.rows,
    accepted: before.accepted + stored.accepted,
    refused: before.refused + refused.length,
    refused_by_code: addCounts(before.refused_by_code, refused.map(({ code }) => code)),
    warned_by_code: addCounts(before.warned_by_code, stored.warnings),
    problems: named.length === 0 ? before.problems : [...before.problems, ...named],
  };
}

function addCounts(before: Record<string, number>, codes: string[]): Record<string, number> {
  const counts = { ...before };
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** Refuses rows that are not those which the upload was begun with. */
export function differs(): Refusal {
  return {
    code: "upload_differs",
    message:
      "The file differs from the one that this upload was begun with: send that one, or make a new upload",
  };
}

/** Refuses to go on with an upload that another request goes on with. */
export function takenOver(): Refusal {
  return {
    code: "upload_in_progress",
    message: "Another request has begun to send the file of this upload: wait for its response",
  };
}

/** Returns whether a batch is stored, recorded or not. */
export async function isStored(
  { sql }: CampaignServices,
  { uploadId, keyHash }: Pick<StepInput, "uploadId" | "keyHash">,
  position: number,
): Promise<boolean> {
  return await readFirstResponse(sql, { keyHash, ...batchKey(uploadId, position) }) !== undefined;
}

/** The idempotency key under which a batch is stored once. */
function batchKey(uploadId: string, position: number): { endpoint: string; key: string } {
  return { endpoint: "upload", key: `${uploadId}/${position}` };
}
