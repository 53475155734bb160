import { beginUploadRun, completeUpload, recordStop, type UploadRun } from "../../db/campaigns/uploads.ts";
import { AppError, type Refusal } from "../../errors.ts";
import type { CampaignServices } from "../queue_campaign.ts";
import { emptyFile, type RecordedBatch, type RowBatch } from "./row_batches.ts";
import { requestOf } from "./upload_plan.ts";
import {
  createUploadStep,
  differs,
  isStored,
  type StepInput,
  takenOver,
  type UploadStep,
} from "./upload_step.ts";

export interface SendUploadInput extends Omit<StepInput, "planned"> {
  /** Opens the rows. `recorded` is the last batch that is stored and recorded. */
  open(recorded: RecordedBatch): OpenedBatches;
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
 * The same file may be sent again after any interruption. What is recorded is read over. The batches that may be stored
 * without being recorded have the idempotency keys that they had, so no recipient gets one twice.
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
  const step = createUploadStep(services, { ...input, planned }, run);
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
  step: UploadStep,
  { open, isOver = () => false }: SendUploadInput,
  run: UploadRun,
): Promise<number | "unfinished"> {
  const { after, batches } = open({ position: run.batches, fingerprint: run.fingerprint });
  let read = after.position;
  try {
    for await (const batch of batches) {
      read = batch.position;
      if (read > run.batches && run.completed_at === null) await step.send(batch);
      else if (read >= run.batches && batch.fingerprint !== run.fingerprint) throw AppError.from(differs());
      if (isOver()) return "unfinished";
    }
  } finally {
    await step.finish();
  }
  if (read < run.batches && read > 0) throw AppError.from(differs());
  return read;
}

function expired(): Refusal {
  return {
    code: "upload_expired",
    message:
      "The upload broke off over 23 hours ago and cannot be continued: some of its recipients may have their " +
      "message. Make a new upload of those whom its campaign does not list",
  };
}
