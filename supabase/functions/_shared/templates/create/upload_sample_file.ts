import { AppError, rateLimitExceeded, type Refusal } from "../../errors.ts";
import { openSampleFile } from "../../gateways/sample_file.ts";
import { SampleSourceError, uploadSample } from "../../gateways/whatsapp/upload_sample.ts";
import { NoSlotError } from "../../concurrency/keyed_slots.ts";
import type { TemplateComponent } from "../template.ts";
import type { SampleFile } from "./read_text_parts.ts";
import type { Submission, SubmitContext } from "./submission.ts";

/** How long a request may wait for other uploads, and how long to wait before another try. */
const SAMPLE_WAIT_S = 10;

/** How many samples one process uploads at once; of a company, one at a time. */
export const SAMPLE_UPLOADS = { slots: 2, maxWaiting: 4, waitMs: SAMPLE_WAIT_S * 1000 };

const FIELD = "components_template.HEADER.example.header_handle";

/** A hundred megabytes take longer than a response. */
const TRANSFER_MS = 60_000;

/**
 * Downloads a template's sample, uploads it to the platform, and returns the template's components with the platform's
 * handle in place of the sample's URL. Two files at a time per process, one per company; others wait.
 *
 * Throws `validation_failed` when the file cannot be downloaded or used, `rate_limit_exceeded` when no slot became free
 * in time, and as `uploadSample` does.
 */
export async function uploadSampleFile(
  context: SubmitContext,
  { companyId, token, template: { components, sample } }: Pick<
    Submission,
    "companyId" | "token" | "template"
  >,
): Promise<TemplateComponent[]> {
  if (sample === null) return components;
  const handle = await context.sampleUploads.run(companyId, () => upload(context, token, sample)).catch(
    refuse,
  );
  return components.map((component) =>
    component.type === "HEADER" ? { ...component, example: { header_handle: [handle] } } : component
  );
}

async function upload(
  { whatsapp, allowPrivate, timeoutMs }: SubmitContext,
  token: string,
  sample: SampleFile,
): Promise<string> {
  const time = { timeoutMs: Math.max(timeoutMs, TRANSFER_MS) };
  const file = await openSampleFile(sample, { ...time, allowPrivate });
  if (typeof file === "string") throw new SampleSourceError(file);
  try {
    return await uploadSample(whatsapp, { token, sample: file }, time);
  } finally {
    file.close();
  }
}

function refuse(error: unknown): never {
  if (error instanceof SampleSourceError) throw unusable(error.message);
  if (error instanceof NoSlotError) throw AppError.from(busy());
  throw error;
}

function busy(): Refusal {
  return rateLimitExceeded("Other samples are being uploaded, one at a time per company", {
    limit: 1,
    windowS: SAMPLE_WAIT_S,
    waitS: SAMPLE_WAIT_S,
    now: new Date(),
  });
}

function unusable(reason: string): AppError {
  return new AppError("validation_failed", `The header's sample cannot be used. ${reason}`, {
    details: { field: FIELD, reason },
  });
}
