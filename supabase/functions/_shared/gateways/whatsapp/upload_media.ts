import { z } from "zod";
import { startDeadline } from "../../concurrency/deadline.ts";
import { fitsHeader, readJson, retryAfterSeconds } from "../http_client.ts";
import type { StoredFile } from "../media_store/media_store.ts";
import { platformIdSchema } from "../platform_text.ts";
import type { SendOutcome } from "../send_outcome.ts";
import { sendStream } from "../send_stream.ts";
import { actionForStatus, errorOf, platformUrl, readPlatformError, type WhatsappConfig } from "./errors.ts";

/** Why a file did not reach the platform: a message that holds it cannot be sent, for this reason. */
export type MediaRefusal = Extract<SendOutcome, { kind: "refused" | "not_sent" }>;

const MAX_RESPONSE_BYTES = 64 * 1024;

const uploadedSchema = z.object({ id: platformIdSchema });

/**
 * Uploads a file for one of our numbers, as fast as the platform reads it, and returns the platform's id, which lasts for
 * 30 days. Uploading twice does no harm. Source: WhatsApp Cloud API, media.
 *
 * Never throws for what the platform or the network does.
 */
export async function uploadMedia(
  config: WhatsappConfig,
  { phoneNumberId, token, file: { type, length, body, name } }: {
    phoneNumberId: string;
    token: string;
    file: StoredFile & { name: string };
  },
  { timeoutMs }: { timeoutMs: number },
): Promise<{ kind: "uploaded"; id: string } | MediaRefusal> {
  if (!fitsHeader(token)) return refused("stop_sender", "The sender's access token is malformed");
  const { head, tail, boundary } = frameOf({ type, name });
  const deadline = startDeadline(timeoutMs);
  try {
    const response = await sendStream(platformUrl(config, phoneNumberId, "media"), {
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
      body: framed(head, body, tail),
      length: head.length + length + tail.length,
      signal: deadline.signal,
    });
    const answer = await readJson(response, MAX_RESPONSE_BYTES);
    const uploaded = response.ok ? uploadedSchema.safeParse(answer).data : undefined;
    return uploaded ? { kind: "uploaded", ...uploaded } : refusalOf(response, answer, token);
  } catch {
    // The runtime's error may quote the token.
    return { kind: "not_sent", reason: "The file of the message could not be uploaded to the platform" };
  } finally {
    deadline.clear();
  }
}

function refusalOf(response: Response, body: unknown, token: string): MediaRefusal {
  const { status: httpStatus } = response;
  const error = readPlatformError(errorOf(body), { httpStatus, token });
  if (error === null) {
    return {
      kind: "not_sent",
      reason: `The platform responded to the file of the message with HTTP ${httpStatus}`,
    };
  }
  const retryAfterS = retryAfterSeconds(response.headers);
  const reason = `The platform did not take the file of the message. ${error.reason}`;
  return {
    kind: "refused",
    ...(httpStatus >= 500 ? actionForStatus(httpStatus, reason) : { action: error.action, reason }),
    code: error.code,
    httpStatus,
    ...(retryAfterS !== undefined && { retryAfterS }),
  };
}

function refused(action: "stop_sender", reason: string): MediaRefusal {
  return { kind: "refused", action, code: null, httpStatus: 0, reason };
}

/** Returns what stands before and behind the file in a form. */
function frameOf({ type, name }: { type: string; name: string }) {
  const boundary = crypto.randomUUID();
  const field = (disposition: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const fileName = name.replace(/[^\w. -]/g, "_");
  const encode = (text: string) => new TextEncoder().encode(text);
  return {
    boundary,
    head: encode(
      `${field('name="messaging_product"')}\r\nwhatsapp\r\n${field('name="type"')}\r\n${type}\r\n` +
        `${field(`name="file"; filename="${fileName}"`)}Content-Type: ${type}\r\n\r\n`,
    ),
    tail: encode(`\r\n--${boundary}--\r\n`),
  };
}

function framed(
  head: Uint8Array,
  body: ReadableStream<Uint8Array>,
  tail: Uint8Array,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream({
      start: (controller) => controller.enqueue(head),
      flush: (controller) => controller.enqueue(tail),
    }),
  );
}
