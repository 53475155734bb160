import { AppError } from "../../errors.ts";
import { openSampleFile } from "../../gateways/sample_file/open_sample_file.ts";
import { SampleSourceError, uploadSample } from "../../gateways/whatsapp/upload_sample.ts";
import { createKeyedSlots, NoSlotError } from "../../keyed_slots.ts";
import type { TemplateComponent } from "../template.ts";
import type { SampleFile } from "./read_header.ts";
import type { Submission, SubmitContext } from "./submit_template.ts";

const FIELD = "components_template.HEADER.example.header_handle";

/** A hundred megabytes take longer than a response. */
const TRANSFER_MS = 60_000;

/** How long a request may wait for other uploads, and how long to wait before another try. */
const WAIT_S = 10;
const MAX_WAITING_PER_COMPANY = 4;

/** Uploads of this process. Each takes connections, time of the event loop and bandwidth for up to minutes. */
const uploads = createKeyedSlots({
  slots: 2,
  maxWaiting: MAX_WAITING_PER_COMPANY,
  waitMs: WAIT_S * 1000,
});

/**
 * The components of a template with a handle of the platform in place of the sample's URL, for which the file is fetched
 * and uploaded. Two files at a time per process, one per company; others wait. Throws `validation_failed` when the file
 * cannot be had or used, `rate_limit_exceeded` when no slot became free in time, and as `uploadSample` does.
 */
export async function uploadSampleFile(
  context: SubmitContext,
  { companyId, token, template: { components, sample } }: Pick<
    Submission,
    "companyId" | "token" | "template"
  >,
): Promise<TemplateComponent[]> {
  if (sample === null) return components;
  const handle = await uploads.run(companyId, () => upload(context, token, sample)).catch(refuse);
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
  if (error instanceof NoSlotError) throw busy();
  throw error;
}

function busy(): AppError {
  return new AppError(
    "rate_limit_exceeded",
    "Other samples are being uploaded, one at a time per company. Wait, then send the same request again",
    { details: { limit: 1, field: FIELD }, retryAfter: WAIT_S },
  );
}

function unusable(reason: string): AppError {
  return new AppError("validation_failed", `The header's sample cannot be used. ${reason}`, {
    details: { field: FIELD, reason },
  });
}
