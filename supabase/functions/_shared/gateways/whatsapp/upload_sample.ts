import { z } from "zod";
import { AppError } from "../../errors.ts";
import { startDeadline } from "../deadline.ts";
import { fitsHeader } from "../post_once.ts";
import { readJson } from "../read_json.ts";
import { retryAfterSeconds } from "../retry_after.ts";
import type { WhatsappConfig } from "./config.ts";
import { errorOf, readPlatformError } from "./platform_error.ts";
import { platformUnavailable } from "./platform_unavailable.ts";

/** A file that a template's reviewers are shown. */
export interface Sample {
  bytes: Uint8Array<ArrayBuffer>;
  /** `image/jpeg`, `image/png`, `video/mp4` or `application/pdf`. */
  type: string;
  name: string;
}

const LONGEST_ANSWER = 64 * 1024;
/** The session's id is put into a path as it is, signature and all. */
const sessionSchema = z.looseObject({ id: z.string().regex(/^upload:[\w\-.~:=+/%?&]+$/) });
const handleSchema = z.looseObject({ h: z.string().min(1) });

/**
 * Uploads a sample and returns its handle for `example.header_handle`. Two calls: one opens a session, the other sends
 * the bytes, with the token under `OAuth` and the offset as a header. Uploading twice does no harm: a handle nobody
 * uses is forgotten.
 *
 * Source: Graph API, resumable upload; `app` stands for the app the token belongs to.
 *
 * Throws `service_unavailable` (502) when the platform cannot be reached or is busy, and `validation_failed` when it
 * refuses; `details.service` is `whatsapp`.
 */
export async function uploadSample(
  config: WhatsappConfig,
  { token, sample }: { token: string; sample: Sample },
  { timeoutMs }: { timeoutMs: number },
): Promise<string> {
  if (!fitsHeader(token)) throw refused("The sender's access token is malformed", null);
  const root = `${config.apiUrl.replace(/\/+$/, "")}/${config.apiVersion}`;
  const query = new URLSearchParams({
    file_name: sample.name,
    file_length: String(sample.bytes.byteLength),
    file_type: sample.type,
  });
  const call = { config, token, timeoutMs };
  const session = await post(call, `${root}/app/uploads?${query}`, sessionSchema, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { h } = await post(call, `${root}/${session.id}`, handleSchema, {
    headers: {
      authorization: `OAuth ${token}`,
      file_offset: "0",
      "content-type": "application/octet-stream",
    },
    body: sample.bytes,
  });
  return h;
}

interface Call {
  config: WhatsappConfig;
  token: string;
  timeoutMs: number;
}

async function post<Schema extends z.ZodType>(
  call: Call,
  url: string,
  schema: Schema,
  init: RequestInit,
): Promise<z.infer<Schema>> {
  const deadline = startDeadline(call.timeoutMs);
  try {
    const response = await send(call.config, url, { ...init, signal: deadline.signal });
    const body = await readJson(response, LONGEST_ANSWER);
    const answer = response.ok ? schema.safeParse(body).data : undefined;
    if (answer === undefined) throw refusal(response, body, call.token);
    return answer;
  } finally {
    deadline.clear();
  }
}

async function send(config: WhatsappConfig, url: string, init: RequestInit): Promise<Response> {
  try {
    return await (config.fetch ?? fetch)(url, { method: "POST", redirect: "manual", ...init });
  } catch {
    // The runtime's error is not kept as the cause: it may quote the URL or the header, and with them the token.
    throw platformUnavailable("The messaging platform cannot be reached");
  }
}

function refusal(response: Response, body: unknown, token: string): AppError {
  const error = readPlatformError(errorOf(body), { httpStatus: response.status, token });
  const retryAfter = retryAfterSeconds(response.headers);
  if (error === null) {
    return platformUnavailable(
      `The messaging platform answered the upload of the sample with HTTP ${response.status}`,
      { retryAfter },
    );
  }
  if (response.status >= 500 || error.action === "retry" || error.action === "slow_sender") {
    return platformUnavailable(`The messaging platform did not take the sample. ${error.reason}`, {
      details: { platform_code: error.code },
      retryAfter,
    });
  }
  return refused(`The messaging platform did not take the sample. ${error.reason}`, error.code);
}

function refused(message: string, code: number | null): AppError {
  const field = "components_template.HEADER.example.header_handle";
  return new AppError("validation_failed", message, {
    details: { field, service: "whatsapp", platform_code: code },
  });
}
