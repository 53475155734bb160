import { AppError, rateLimitExceeded, type Refusal } from "../../errors.ts";
import { findMediaFile, type MediaIds } from "../../db/media/media_files.ts";
import { type OpenSample, openSampleFile } from "../../gateways/sample_file.ts";
import { SampleSourceError, uploadSample } from "../../gateways/whatsapp/upload_sample.ts";
import { NoSlotError } from "../../concurrency/keyed_slots.ts";
import { objectKey } from "../../media/add_media.ts";
import { mediaIdIn } from "../../media/media_reference.ts";
import { cardsOf, type TemplateComponent } from "../template.ts";
import type { Submission, SubmitContext } from "./submission.ts";

/** How long a request may wait for other uploads, and how long to wait before another attempt. */
const SAMPLE_WAIT_S = 10;

/** How many samples one process uploads at once; of a company, one at a time. */
export const SAMPLE_UPLOADS = { slots: 2, maxWaiting: 4, waitMs: SAMPLE_WAIT_S * 1000 };

/** A hundred megabytes take longer than a response. */
const TRANSFER_MS = 60_000;

/** A file that stands for what a media header will show: at a URL, or one of the company. */
interface SampleFile {
  format: "IMAGE" | "VIDEO" | "DOCUMENT";
  url: string;
  mediaId?: string | undefined;
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
    const handle = await context.sampleUploads.run(
      companyId,
      () => upload(context, { companyId, token }, sample),
    )
      .catch((error) => refuse(error, `${path}.HEADER.example.header_handle`));
    return { ...part, example: { header_handle: [handle] } };
  }
}

/** Returns the sample that is still to be uploaded; null for any other part. */
function sampleOf({ type, format, example }: TemplateComponent): SampleFile | null {
  const handle: unknown = Object(example).header_handle?.[0];
  if (type !== "HEADER" || typeof handle !== "string") return null;
  const mediaId = mediaIdIn(handle);
  if (mediaId === undefined && !/^https?:\/\//i.test(handle)) return null;
  return { format: format as SampleFile["format"], url: handle, mediaId };
}

async function upload(
  context: SubmitContext,
  { companyId, token }: { companyId: string; token: string },
  { mediaId, ...sample }: SampleFile,
): Promise<string> {
  const { whatsapp, allowPrivate, timeoutMs } = context;
  const time = { timeoutMs: Math.max(timeoutMs, TRANSFER_MS) };
  const file = mediaId === undefined
    ? await openSampleFile(sample, { ...time, allowPrivate })
    : await openOwnFile(context, { companyId, mediaId }, sample.format);
  if (typeof file === "string") throw new SampleSourceError(file);
  try {
    return await uploadSample(whatsapp, { token, sample: file }, time);
  } finally {
    file.close();
  }
}

/** The types of samples. Source: Graph API, resumable upload. */
const TYPES = /^(image\/(jpeg|png)|video\/mp4|application\/pdf)$/;

/** Opens a file of the company as a sample, or returns one sentence that says why there is none. */
async function openOwnFile(
  { sql, mediaStore }: SubmitContext,
  ids: MediaIds,
  format: SampleFile["format"],
): Promise<OpenSample | string> {
  const file = await findMediaFile(sql, ids);
  const object = file && await mediaStore?.get(objectKey(ids));
  if (file === undefined || !object) return "The company has no file with this id";
  const { content_type: type, kind, bytes: length, file_name } = file;
  if (kind !== format.toLowerCase() || !TYPES.test(type)) {
    await object.body.cancel();
    return `It is of type ${type}, which a header of format ${format} cannot show`;
  }
  // A failure on our side is no fault of the company's.
  const own = { failure: () => undefined, isWaiting: () => false };
  const close = () => void object.body.cancel().catch(() => {});
  return { body: object.body, length, type, name: file_name ?? kind, ...own, close };
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
