import { readJson } from "./http_client.ts";

/** A file of a platform, on its way. */
export interface PlatformFile {
  /** A media type in its plain form; undefined where the platform names none. */
  type: string | undefined;
  /** Number of bytes; null when the platform does not announce it. */
  length: number | null;
  /** Fails when it becomes too long, or when the platform sends nothing for too long. */
  body: ReadableStream<Uint8Array>;
}

export const FILE_TOO_LARGE = "too_large";

/** For the head of a response, and for each pause in its body. The whole takes as long as the client takes to read it. */
const TIMEOUT_MS = 20_000;

/**
 * Requests a file. Returns null without a response in time; the runtime's error is dropped, because it may quote the
 * headers. Never follows a redirect, which would take the secret elsewhere.
 *
 * @param options `signal` ends the request, and the body too
 */
export async function requestFile(
  url: string,
  headers: Record<string, string>,
  { fetch: send = fetch, method = "GET", timeoutMs = TIMEOUT_MS, signal }: {
    fetch?: typeof fetch | undefined;
    method?: "GET" | "DELETE";
    timeoutMs?: number | undefined;
    signal?: AbortSignal | undefined;
  } = {},
): Promise<Response | null> {
  // Of its own: the signal of a shared deadline would end the body as well, when another request is out of time.
  const stopping = new AbortController();
  const timer = setTimeout(() => stopping.abort(), timeoutMs);
  try {
    return await send(url, {
      method,
      headers: { ...headers, "user-agent": "outbound", "accept-encoding": "identity" },
      redirect: "manual",
      signal: signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, signal]),
    });
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the file of a response, to be read once, or `FILE_TOO_LARGE`.
 *
 * @param maxBytes a longer file is refused, or cut off with an error when its length was not announced
 */
export async function fileOf(
  { headers, body }: Response,
  { maxBytes, timeoutMs = TIMEOUT_MS }: { maxBytes: number; timeoutMs?: number | undefined },
): Promise<PlatformFile | typeof FILE_TOO_LARGE> {
  const announced = headers.get("content-length");
  const length = announced !== null && /^\d{1,15}$/.test(announced) ? Number(announced) : null;
  if (length !== null && length > maxBytes) {
    await body?.cancel();
    return FILE_TOO_LARGE;
  }
  const type = mediaType(headers.get("content-type"));
  return { type, length, body: bounded(body ?? new Blob().stream(), { maxBytes, timeoutMs }) };
}

/** Reads a short JSON body within the limits of a file. Undefined for one that is too long, stops, or is not JSON. */
export async function readShortJson(
  response: Response,
  limits: { maxBytes: number; timeoutMs?: number | undefined },
): Promise<unknown> {
  const file = await fileOf(response, limits);
  return file === FILE_TOO_LARGE ? undefined : await readJson(new Response(file.body), limits.maxBytes);
}

/** Returns a media type without parameters; undefined for what is none. */
export function mediaType(text: string | null | undefined): string | undefined {
  return /^\s*([a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,100})\s*(?:;|$)/i.exec(text ?? "")?.[1]?.toLowerCase();
}

function bounded(
  body: ReadableStream<Uint8Array>,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await readInTime(reader, timeoutMs);
      if (done) return controller.close();
      size += value.byteLength;
      if (size > maxBytes) {
        throw await stopped(reader, `The file is larger than ${maxBytes / 1024 / 1024} MB`);
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readInTime(reader: Reader, timeoutMs: number): Promise<ReadableStreamReadResult<Uint8Array>> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("The platform stopped sending the file")), timeoutMs);
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    throw await stopped(reader, (error as Error).message);
  } finally {
    clearTimeout(timer);
  }
}

/** Drops the connection, so that nothing more is read from it, and returns the error to throw. */
async function stopped(reader: Reader, message: string): Promise<Error> {
  await reader.cancel().catch(() => {});
  return new Error(message);
}
