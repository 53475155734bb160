import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";
import { startTimeLimit } from "../webhook_endpoint/time_limit.ts";
import type { Sample } from "../whatsapp/upload_sample.ts";
import { type Download, type DownloadOptions, startDownload } from "./start_download.ts";
import { reasonOf, streamSample } from "./stream_sample.ts";

/** A sample that is on its way; `close` must be called in any case. */
export interface OpenSample extends Sample {
  close(): void;
}

const MEGABYTE = 1024 * 1024;

/**
 * What a sample may be: how large, and of which types, by their ending. Sources: WhatsApp Cloud API, media; the types
 * are those its resumable upload takes.
 */
const LIMITS = {
  IMAGE: { maxBytes: 5 * MEGABYTE, types: { jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png" } },
  VIDEO: { maxBytes: 16 * MEGABYTE, types: { mp4: "video/mp4" } },
  DOCUMENT: { maxBytes: 100 * MEGABYTE, types: { pdf: "application/pdf" } },
} as const;

/**
 * Opens a file that a customer named, without holding more than a piece of it. The platform wants the length first. A
 * server that does not say it is asked twice: the first time the bytes are counted.
 *
 * Never throws for what the network or the server does: returns the file, or in one sentence why there is none.
 */
export async function openSampleFile(
  { url, format }: { url: string; format: "IMAGE" | "VIDEO" | "DOCUMENT" },
  options: DownloadOptions,
): Promise<OpenSample | string> {
  const { maxBytes, types } = LIMITS[format];
  try {
    const length = await lengthOf(await startFile(url, maxBytes, options), options);
    if (typeof length !== "number") return openSample(length, length.length!, url, types);
    return openSample(await startFile(url, maxBytes, options), length, url, types);
  } catch (error) {
    return reasonOf(error);
  }
}

async function startFile(url: string, maxBytes: number, options: DownloadOptions): Promise<Download> {
  const download = await startDownload(url, maxBytes, options);
  if (download.status === 200) return download;
  download.close();
  throw new EndpointError(`Its server answered HTTP ${download.status}`);
}

/** The very download when its server says the length, or else the number of bytes that came. */
async function lengthOf(download: Download, { timeoutMs }: DownloadOptions): Promise<Download | number> {
  if (download.length !== null) return download;
  const time = startTimeLimit(timeoutMs);
  try {
    return await time.limit(countBytes(download));
  } finally {
    time.stop();
    download.close();
  }
}

async function countBytes({ pieces }: Download): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

function openSample(
  download: Download,
  length: number,
  url: string,
  types: Record<string, string>,
): OpenSample | string {
  const type = typeOf(download, url, types);
  if (length > 0 && type !== undefined) {
    const ending = Object.entries(types).find(([, each]) => each === type)![0];
    return { ...streamSample(download, length), type, name: `sample.${ending}`, length };
  }
  download.close();
  const allowed = [...new Set(Object.values(types))].join(" or ");
  return length === 0 ? "It is empty" : `It is of type ${saidType(download).slice(0, 100)}, not ${allowed}`;
}

/** Storage hosts often call everything `application/octet-stream`; then the ending of the name counts. */
function typeOf(download: Download, url: string, types: Record<string, string>): string | undefined {
  const said = saidType(download);
  const canonical = said === "image/jpg" ? "image/jpeg" : said;
  if (Object.values(types).includes(canonical)) return canonical;
  if (!["", "application/octet-stream", "binary/octet-stream"].includes(said)) return undefined;
  const ending = new URL(url).pathname.split(".").at(-1)!.toLowerCase();
  return Object.hasOwn(types, ending) ? types[ending] : undefined;
}

function saidType({ headers }: Download): string {
  return (headers.get("content-type") ?? "").replace(/;.*/, "").trim().toLowerCase();
}
