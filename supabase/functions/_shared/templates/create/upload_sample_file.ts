import { AppError, tooManyRequests } from "../../errors.ts";
import { openSampleFile } from "../../gateways/sample_file/open_sample_file.ts";
import { SampleSourceError, uploadSample } from "../../gateways/whatsapp/upload_sample.ts";
import { NoSlotError } from "../../keyed_slots.ts";
import type { TemplateComponent } from "../template.ts";
import type { SampleFile } from "./read_header.ts";
import { SAMPLE_WAIT_S } from "./sample_uploads.ts";
import type { Submission, SubmitContext } from "./submit_template.ts";

const FIELD = "components_template.HEADER.example.header_handle";

/** A hundred megabytes take longer than a response. */
const TRANSFER_MS = 60_000;

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
  if (error instanceof NoSlotError) throw busy();
  throw error;
}

function busy(): AppError {
  return tooManyRequests("Other samples are being uploaded, one at a time per company", {
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
