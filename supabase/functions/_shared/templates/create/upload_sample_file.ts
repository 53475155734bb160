import { AppError, rateLimitExceeded, type Refusal } from "../../errors.ts";
import { openSampleFile } from "../../gateways/sample_file.ts";
import { SampleSourceError, uploadSample } from "../../gateways/whatsapp/upload_sample.ts";
import { NoSlotError } from "../../concurrency/keyed_slots.ts";
import type { TemplateComponent } from "../template.ts";
import { cardsOf } from "../template.ts";
import type { Submission, SubmitContext } from "./submission.ts";

/** How long a request may wait for other uploads, and how long to wait before another attempt. */
const SAMPLE_WAIT_S = 10;

/** How many samples one process uploads at once; of a company, one at a time. */
export const SAMPLE_UPLOADS = { slots: 2, maxWaiting: 4, waitMs: SAMPLE_WAIT_S * 1000 };

/** A hundred megabytes take longer than a response. */
const TRANSFER_MS = 60_000;

/** A file that stands for what a media header will show. */
interface SampleFile {
  format: "IMAGE" | "VIDEO" | "DOCUMENT";
  url: string;
}

/**
 * Downloads a template's samples, uploads them to the platform, and returns the template's components with the platform's
 * handles in place of the samples' URLs: of the header and of each card, one after the other. Two files at a time per process, one per company; others wait.
 *
 * Throws `validation_failed` when the file cannot be downloaded or used, `rate_limit_exceeded` when no slot became free
 * in time, and as `uploadSample` does.
 */
export async function uploadSampleFiles(
  context: SubmitContext,
  { companyId, token, template: { components } }: Pick<Submission, "companyId" | "token" | "template">,
): Promise<TemplateComponent[]> {
  return await uploadIn(components, "components_template");

  async function uploadIn(parts: TemplateComponent[], path: string): Promise<TemplateComponent[]> {
    const uploaded: TemplateComponent[] = [];
    for (const part of parts) uploaded.push(await uploadPart(part, path));
    return uploaded;
  }

  async function uploadPart(part: TemplateComponent, path: string): Promise<TemplateComponent> {
    if (part.type === "CAROUSEL") {
      const cards: { components: TemplateComponent[] }[] = [];
      for (const [index, card] of (cardsOf(part) ?? []).entries()) {
        cards.push({ components: await uploadIn(card, `${path}.CAROUSEL.cards[${index}]`) });
      }
      return { ...part, cards };
    }
    const sample = sampleOf(part);
    if (sample === null) return part;
    const handle = await context.sampleUploads.run(companyId, () => upload(context, token, sample))
      .catch((error) => refuse(error, `${path}.HEADER.example.header_handle`));
    return { ...part, example: { header_handle: [handle] } };
  }
}

/** Returns the sample that is still the URL of a file; null for any other part. */
function sampleOf({ type, format, example }: TemplateComponent): SampleFile | null {
  const handle: unknown = Object(example).header_handle?.[0];
  if (type !== "HEADER" || typeof handle !== "string" || !/^https?:\/\//i.test(handle)) return null;
  return { format: format as SampleFile["format"], url: handle };
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

function refuse(error: unknown, field: string): never {
  if (error instanceof SampleSourceError) throw unusable(error.message, field);
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

function unusable(reason: string, field: string): AppError {
  return new AppError("validation_failed", `The header's sample cannot be used. ${reason}`, {
    details: { field, reason },
  });
}
