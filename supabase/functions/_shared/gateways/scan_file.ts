import { z } from "zod";
import { startDeadline } from "../concurrency/deadline.ts";
import { AppError, upstreamUnavailable } from "../errors.ts";
import { type PlatformFile, readShortJson } from "./fetch_file.ts";
import { sendStream } from "./send_stream.ts";

/** A hundred megabytes take a while. */
const SCAN_MS = 120_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

const verdictSchema = z.object({ clean: z.boolean() });

/** The `details` of the error for a file that a scanner refuses. */
const NOT_CLEAN = { field: "body", reason: "not_clean" } as const;

/**
 * Sends a file to the virus scanner: its bytes as the body of a POST, with their type and length. Throws
 * `validation_failed` unless the scanner responds that it is clean, and `service_unavailable` where it cannot say so.
 *
 * @param options `timeoutMs`: until the whole response is there
 */
export async function scanFile(
  url: string,
  { type, length, body }: { type: string; length: number; body: PlatformFile["body"] },
  { timeoutMs = SCAN_MS }: { timeoutMs?: number } = {},
): Promise<void> {
  const finished = new AbortController();
  const deadline = startDeadline(timeoutMs, finished.signal);
  let verdict: unknown;
  try {
    const headers = { "content-type": type };
    const response = await sendStream(url, { headers, body, length, signal: deadline.signal });
    verdict = await readShortJson(response, { maxBytes: MAX_RESPONSE_BYTES });
    if (!response.ok) verdict = undefined;
  } catch (cause) {
    throw unavailable(cause);
  } finally {
    // The scanner may have responded before it has read the whole file, and not read on.
    finished.abort();
    deadline.clear();
  }
  const read = verdictSchema.safeParse(verdict);
  if (!read.success) throw unavailable();
  if (!read.data.clean) {
    throw new AppError("validation_failed", "The virus scanner does not let this file through", {
      details: NOT_CLEAN,
    });
  }
}

const SERVICE = "scanner";

function unavailable(cause?: unknown): AppError {
  return upstreamUnavailable(SERVICE, "The virus scanner cannot check this file now; send it again later", {
    cause,
  });
}

/** Returns whether the scanner found something in a file. */
export function isNotClean(error: unknown): boolean {
  return error instanceof AppError && error.details?.reason === NOT_CLEAN.reason;
}

/** Returns whether a file is refused because the scanner found something in it, or cannot be asked. */
export function isScanRefusal(error: unknown): boolean {
  return isNotClean(error) || error instanceof AppError && error.details?.service === SERVICE;
}
