import { readFirstResponse } from "../../db/queue/accept_notifications.ts";
import type { Actor } from "../../db/access/audit.ts";
import {
  beginUploadRun,
  completeUpload,
  recordBatch,
  recordStop,
  type UploadIds,
  type UploadProgress,
  type UploadRun,
} from "../../db/campaigns/uploads.ts";
import { AppError, isServerFault, type Refusal } from "../../errors.ts";
import type { DetailedBulkResponse } from "../batch.ts";
import { type CampaignServices, queueCampaign } from "../queue_campaign.ts";
import { emptyFile, type RecordedBatch, type RowBatch, type RowContact } from "./row_batches.ts";
import { refusedRow, type RowProblem } from "./row_contact.ts";
import { type PlannedRequest, requestOf, type UploadPlan } from "./upload_plan.ts";

/** Of the refused rows, so many are named. */
export const MAX_PROBLEMS = 200;

export interface SendUploadInput extends UploadIds {
  plan: UploadPlan;
  /** Of the key that the notifications count for. */
  keyHash: string;
  /** Opens the rows. `recorded` is the last batch that is stored and recorded. */
  open(recorded: RecordedBatch): OpenedBatches;
  /** For the audit. */
  by: Actor;
  /** Returns whether to stop behind a batch, and go on in another request. @default never */
  isOver?: () => boolean;
}

/** The rows of an upload: a file is read from its beginning, an audience behind what is recorded. */
export interface OpenedBatches {
  /** The batch before the first one. */
  after: RecordedBatch;
  batches: AsyncIterable<RowBatch>;
}

/** The outcome of a request that sent an upload; `run` is that request. */
export type SendUploadResult =
  & { run: number }
  & ({ kind: "done" } | { kind: "unfinished" } | { kind: "refused"; refusal: Refusal });

/**
 * Sends the file or the audience of an upload: stores its rows a hundred at a time, each batch as a notification request
 * that adds to the campaign, and closes the campaign at the end.
 *
 * The same file may be sent again after any interruption. What is recorded is read over. The batch that may be stored
 * without being recorded has the idempotency key that it had, so no recipient gets it twice.
 *
 * Refuses with `upload_differs`, `upload_in_progress`, `upload_expired`, `validation_failed`, `payload_too_large`, and
 * whatever a notification request is refused with. What was stored before stays.
 */
export async function sendUpload(
  services: CampaignServices,
  input: SendUploadInput,
): Promise<SendUploadResult> {
  const planned = requestOf(input.plan);
  const run = await beginUploadRun(services.sql, input);
  const step = createStep(services, { ...input, planned }, run);
  try {
    if (run.is_expired) throw AppError.from(expired());
    const read = await sendRows(step, input, run);
    if (read === "unfinished") return { kind: "unfinished", run: run.run };
    if (read === 0) throw emptyFile();
    if (step.isInDoubt && await isStored(services, input, read + 1)) throw AppError.from(differs());
    if (run.completed_at === null && !(await completeUpload(services.sql, { ...input, run: run.run }))) {
      throw AppError.from(takenOver());
    }
    return { kind: "done", run: run.run };
  } catch (error) {
    // After a failure of the database it is not known whether a batch is stored. The next request stores it again.
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    await recordStop(services.sql, { ...input, run: run.run }, { code, message, isInDoubt: step.isInDoubt });
    return { kind: "refused", refusal: error, run: run.run };
  }
}

/** Sends the rows that are not recorded. Returns the number of batches there are. Throws the refusal. */
async function sendRows(
  step: Step,
  { open, isOver = () => false }: SendUploadInput,
  run: UploadRun,
): Promise<number | "unfinished"> {
  const { after, batches } = open({ position: run.batches, fingerprint: run.fingerprint });
  let read = after.position;
  for await (const batch of batches) {
    read = batch.position;
    if (read > run.batches && run.completed_at === null) await step.send(batch);
    else if (read >= run.batches && batch.fingerprint !== run.fingerprint) throw AppError.from(differs());
    if (isOver()) return "unfinished";
  }
  if (read < run.batches && read > 0) throw AppError.from(differs());
  return read;
}

/** Returns whether a batch is stored, recorded or not. */
async function isStored(
  { sql }: CampaignServices,
  { uploadId, keyHash }: SendUploadInput,
  position: number,
): Promise<boolean> {
  return await readFirstResponse(sql, { keyHash, ...batchKey(uploadId, position) }) !== undefined;
}

/** The idempotency key under which a batch is stored once. */
function batchKey(uploadId: string, position: number): { endpoint: string; key: string } {
  return { endpoint: "upload", key: `${uploadId}/${position}` };
}

/** Stores one batch after the other. */
interface Step {
  progress: UploadProgress;
  /** Whether a batch may be stored that is not recorded. */
  isInDoubt: boolean;
  /** Throws the refusal. */
  send(batch: RowBatch): Promise<void>;
}

type PlannedInput = SendUploadInput & { planned: PlannedRequest };

function createStep(services: CampaignServices, input: PlannedInput, run: UploadRun): Step {
  const ids = { companyId: input.companyId, uploadId: input.uploadId, run: run.run };
  const step: Step = {
    progress: run,
    isInDoubt: run.was_in_doubt,
    async send(batch) {
      // A batch that may be stored is sent again; one without contacts must not take its place.
      const { position } = batch;
      const contacts = placesOf(batch, input.plan);
      if (contacts.length === 0 && step.isInDoubt && await isStored(services, input, position)) {
        throw AppError.from(differs());
      }
      const stored = contacts.length === 0
        ? { ...NOTHING, refused: batch.problems }
        : await store(services, input, { batch, contacts, campaignId: step.progress.campaign_id });
      if ("code" in stored) {
        step.isInDoubt &&= LEAVE_OPEN.has(stored.code) || isServerFault(stored);
        throw AppError.from(stored);
      }
      const progress = withBatch(step.progress, batch, stored);
      const problems = progress.problems === step.progress.problems ? null : progress.problems;
      if (!await recordBatch(services.sql, ids, { ...progress, problems }, input.by)) {
        throw AppError.from(takenOver());
      }
      Object.assign(step, { progress, isInDoubt: false });
    },
  };
  return step;
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
  { uploadId, keyHash, plan, planned: { channel, request } }: PlannedInput,
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

function differs(): Refusal {
  return {
    code: "upload_differs",
    message:
      "The file differs from the one that this upload was begun with: send that one, or make a new upload",
  };
}

function takenOver(): Refusal {
  return {
    code: "upload_in_progress",
    message: "Another request has begun to send the file of this upload: wait for its response",
  };
}

function expired(): Refusal {
  return {
    code: "upload_expired",
    message:
      "The upload broke off over 23 hours ago and cannot be continued: some of its recipients may have their " +
      "message. Make a new upload of those whom its campaign does not list",
  };
}
