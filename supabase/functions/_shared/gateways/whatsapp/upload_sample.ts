import { z } from "zod";
import { AppError } from "../../errors.ts";
import { startDeadline } from "../../concurrency/deadline.ts";
import { fitsHeader, readJson, retryAfterSeconds } from "../http_client.ts";
import { sendStream } from "../send_stream.ts";
import {
  accountRefused,
  errorOf,
  platformUnavailable,
  readPlatformError,
  refusesAccount,
  type WhatsappConfig,
} from "./errors.ts";

/** A file that a template's reviewers are shown. */
export interface Sample {
  body: ReadableStream<Uint8Array>;
  /** Bytes of the body. */
  length: number;
  /** `image/jpeg`, `image/png`, `video/mp4` or `application/pdf`. */
  type: string;
  name: string;
  /** Returns why `body` ended early, in one sentence, when its source is to blame. */
  failure(): string | undefined;
  /** Returns whether a read of the source is under way, or was when `body` was cancelled. */
  isWaiting(): boolean;
}

/** The sample's source failed while it was being uploaded; the message says why. */
export class SampleSourceError extends Error {
  override readonly name = "SampleSourceError";
}

const MAX_RESPONSE_BYTES = 64 * 1024;
/** The session's id is put into a path as it is, signature and all. */
const sessionSchema = z.looseObject({ id: z.string().regex(/^upload:[\w\-.~:=+/%?&]+$/) });
const handleSchema = z.looseObject({ h: z.string().min(1) });

/**
 * Uploads a sample, reading it as fast as the platform does, and returns its handle for `example.header_handle`. Two
 * requests: one opens a session, the other sends the bytes, with the token under `OAuth` and the offset as a header.
 * Uploading twice does no harm: the platform drops unused handles.
 *
 * Source: Graph API, resumable upload; `app` stands for the app the token belongs to.
 *
 * Throws `service_unavailable` (502) when the platform cannot be reached or is busy, and `validation_failed` when it
 * refuses; `details.service` is `whatsapp`. Throws `SampleSourceError` when the sample itself cannot be read to its end.
 */
export async function uploadSample(
  config: WhatsappConfig,
  { token, sample }: { token: string; sample: Sample },
  { timeoutMs }: { timeoutMs: number },
): Promise<string> {
  if (!fitsHeader(token)) throw refused("The sender's access token is malformed", null);
  const root = `${config.apiUrl}/${config.apiVersion}`;
  const query = new URLSearchParams({
    file_name: sample.name,
    file_length: String(sample.length),
    file_type: sample.type,
  });
  const options = { token, timeoutMs };
  const session = await requestJson(
    options,
    sessionSchema,
    (signal) => openSession(config, `${root}/app/uploads?${query}`, { token, signal }),
  );
  const { h } = await requestJson(
    options,
    handleSchema,
    (signal) => sendFile(`${root}/${session.id}`, sample, { token, signal }),
  );
  return h;
}

/** Makes one of the two requests within its time, and reads the response. */
async function requestJson<Schema extends z.ZodType>(
  { token, timeoutMs }: { token: string; timeoutMs: number },
  schema: Schema,
  request: (signal: AbortSignal) => Promise<Response>,
): Promise<z.infer<Schema>> {
  const deadline = startDeadline(timeoutMs);
  try {
    const response = await request(deadline.signal);
    const body = await readJson(response, MAX_RESPONSE_BYTES);
    const parsed = response.ok ? schema.safeParse(body).data : undefined;
    if (parsed === undefined) throw refusal(response, body, token);
    return parsed;
  } finally {
    deadline.clear();
  }
}

interface RequestOptions {
  token: string;
  signal: AbortSignal;
}

// The runtime's errors are not kept as causes: they may quote the URL or the header, and with them the token.

async function openSession(
  config: WhatsappConfig,
  url: string,
  { token, signal }: RequestOptions,
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    return await (config.fetch ?? fetch)(url, { method: "POST", redirect: "manual", headers, signal });
  } catch {
    throw platformUnavailable("The messaging platform cannot be reached");
  }
}

async function sendFile(url: string, sample: Sample, { token, signal }: RequestOptions): Promise<Response> {
  const headers = {
    authorization: `OAuth ${token}`,
    file_offset: "0",
    "content-type": "application/octet-stream",
  };
  try {
    return await sendStream(url, { headers, body: sample.body, length: sample.length, signal });
  } catch {
    const isTooSlow = signal.aborted && sample.isWaiting();
    const failure = sample.failure() ??
      (isTooSlow ? "Its server did not send the whole of it in time" : undefined);
    throw failure === undefined
      ? platformUnavailable("The messaging platform cannot be reached")
      : new SampleSourceError(failure);
  }
}

function refusal(response: Response, body: unknown, token: string): AppError {
  const error = readPlatformError(errorOf(body), { httpStatus: response.status, token });
  const retryAfterS = retryAfterSeconds(response.headers);
  if (error === null) {
    return platformUnavailable(
      `The messaging platform answered the upload of the sample with HTTP ${response.status}`,
      { retryAfterS },
    );
  }
  const message = `The messaging platform did not take the sample. ${error.reason}`;
  if (response.status >= 500 || error.action === "retry" || error.action === "slow_sender") {
    return platformUnavailable(message, { details: { platform_code: error.code }, retryAfterS });
  }
  return refusesAccount(error.action) ? accountRefused(message) : refused(message, error.code);
}

function refused(message: string, code: number | null): AppError {
  const field = "components_template.HEADER.example.header_handle";
  return new AppError("validation_failed", message, {
    details: { field, service: "whatsapp", platform_code: code },
  });
}
