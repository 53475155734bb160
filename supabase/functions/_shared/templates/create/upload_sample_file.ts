import { AppError } from "../../errors.ts";
import { fetchSampleFile } from "../../gateways/sample_file/fetch_sample_file.ts";
import { uploadSample } from "../../gateways/whatsapp/upload_sample.ts";
import type { TemplateComponent } from "../template.ts";
import type { Submission, SubmitContext } from "./submit_template.ts";

const FIELD = "components_template.HEADER.example.header_handle";

/** A hundred megabytes take longer than an answer. */
const TRANSFER_MS = 60_000;

/**
 * The components of a template with a handle of the platform in place of the sample's URL, for which the file is fetched
 * and uploaded. Throws `validation_failed` when the file cannot be had or used, and as `uploadSample` does.
 */
export async function uploadSampleFile(
  { whatsapp, allowPrivate, timeoutMs }: SubmitContext,
  { token, template: { components, sample } }: Pick<Submission, "token" | "template">,
): Promise<TemplateComponent[]> {
  if (sample === null) return components;
  const time = { timeoutMs: Math.max(timeoutMs, TRANSFER_MS) };
  const file = await fetchSampleFile(sample, { ...time, allowPrivate });
  if (typeof file === "string") throw unusable(file);
  const handle = await uploadSample(whatsapp, { token, sample: file }, time);
  return components.map((component) =>
    component.type === "HEADER" ? { ...component, example: { header_handle: [handle] } } : component
  );
}

function unusable(reason: string): AppError {
  return new AppError("validation_failed", `The header's sample cannot be used. ${reason}`, {
    details: { field: FIELD, reason },
  });
}
