import { checkEndpointUrl } from "./http1/addresses.ts";
import type { Pieces } from "./http1/byte_reader.ts";
import { EndpointError } from "./http1/endpoint_error.ts";
import { exchange, type ExchangeOptions } from "./http1/exchange.ts";
import { readBody } from "./http1/response_body.ts";
import { startTimeLimit } from "./http1/time_limit.ts";
import type { Sample } from "./whatsapp/upload_sample.ts";

/** A sample that is being downloaded; `close` must be called in any case. */
export interface OpenSample extends Sample {
  close(): void;
}

const MEGABYTE = 1024 * 1024;

/**
 * How large a sample may be, and of which types, by their ending. Sources: WhatsApp Cloud API, media; the types are
 * those its resumable upload takes.
 */
const LIMITS = {
  IMAGE: { maxBytes: 5 * MEGABYTE, types: { jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png" } },
  VIDEO: { maxBytes: 16 * MEGABYTE, types: { mp4: "video/mp4" } },
  DOCUMENT: { maxBytes: 100 * MEGABYTE, types: { pdf: "application/pdf" } },
} as const;

const HEAD_LIMITS = { bytes: 800 * 1024, lineBytes: 8 * 1024, headers: 100 };

const REQUEST = {
  method: "GET",
  headers: { "user-agent": "outbound", accept: "*/*", "accept-encoding": "identity" },
} as const;

/**
 * Opens a file that a customer named, without keeping more than a piece of it in memory. The platform needs the length
 * first: a server that does not announce it is asked twice, and the first time the bytes are counted.
 *
 * Never throws for what the network or the server does: returns the file, or one sentence that says why there is none.
 */
export async function openSampleFile(
  { url, format }: { url: string; format: "IMAGE" | "VIDEO" | "DOCUMENT" },
  options: ExchangeOptions,
): Promise<OpenSample | string> {
  const { maxBytes, types } = LIMITS[format];
  try {
    const first = await startDownload(url, maxBytes, options);
    if (first.length !== null) return openSample(first, first.length, url, types);
    const length = await countBytes(first, options);
    return openSample(await startDownload(url, maxBytes, options), length, url, types);
  } catch (error) {
    return reasonOf(error);
  }
}

async function startDownload(target: string, maxBytes: number, options: ExchangeOptions): Promise<Download> {
  const url = checkEndpointUrl(target, options);
  if (typeof url === "string") throw new EndpointError(url);
  const { head, reader, close } = await exchange(url, REQUEST, { ...options, headLimits: HEAD_LIMITS });
  try {
    const body = readBody(reader, head, maxBytes);
    if (head.status !== 200) throw new EndpointError(`Its server responded with HTTP ${head.status}`);
    return { headers: head.headers, ...body, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function countBytes({ pieces, close }: Download, { timeoutMs }: ExchangeOptions): Promise<number> {
  const time = startTimeLimit(timeoutMs);
  const count = async () => {
    let length = 0;
    for await (const piece of pieces) length += piece.length;
    return length;
  };
  try {
    return await time.limit(count());
  } finally {
    time.stop();
    close();
  }
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
  return length === 0
    ? "It is empty"
    : `It is of type ${declaredType(download).slice(0, 100)}, not ${allowed}`;
}

/** Storage hosts often call everything `application/octet-stream`; then the ending of the name counts. */
function typeOf(download: Download, url: string, types: Record<string, string>): string | undefined {
  const declared = declaredType(download);
  const canonical = declared === "image/jpg" ? "image/jpeg" : declared;
  if (Object.values(types).includes(canonical)) return canonical;
  if (!["", "application/octet-stream", "binary/octet-stream"].includes(declared)) return undefined;
  const ending = new URL(url).pathname.split(".").at(-1)!.toLowerCase();
  return Object.hasOwn(types, ending) ? types[ending] : undefined;
}

function declaredType({ headers }: Download): string {
  return (headers.get("content-type") ?? "").replace(/;.*/, "").trim().toLowerCase();
}

/** A response with its connection, which the caller closes. */
interface Download {
  headers: Map<string, string>;
  /** Number of bytes; null when the server does not announce it. */
  length: number | null;
  pieces: Pieces;
  close(): void;
}

/** Streams a download that must be `length` bytes long. It reads only as fast as the stream is read. */
function streamSample(
  download: Download,
  length: number,
): Pick<Sample, "body" | "failure" | "isWaiting"> & { close(): void } {
  let [size, isReading, isClosed] = [0, false, false];
  let failure: string | undefined;

  async function nextPiece(): Promise<Uint8Array | undefined> {
    const { value, done } = await download.pieces.next();
    size += value?.length ?? 0;
    if (size > length || done && size < length) throw new EndpointError("It changed while it was fetched");
    return done ? undefined : value!;
  }

  function close(): void {
    isClosed = true;
    download.close();
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      isReading = true;
      try {
        const piece = await nextPiece();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      } catch (error) {
        // A read that breaks because we closed the connection is no fault of the source.
        if (!isClosed) failure = reasonOf(error);
        controller.error(error);
      }
      if (!isClosed) isReading = false;
    },
    cancel: close,
  }, { highWaterMark: 0 });
  return { body, failure: () => failure, isWaiting: () => isReading, close };
}

/** Returns why a download failed, in one sentence for the person who named the file. */
function reasonOf(error: unknown): string {
  return error instanceof EndpointError ? error.message : "The connection broke before the file had come";
}
