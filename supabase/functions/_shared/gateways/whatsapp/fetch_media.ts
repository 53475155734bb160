import { z } from "zod";
import { fitsHeader, readJson } from "../http_client.ts";
import { errorOf, platformUnavailable, readPlatformError, type WhatsappConfig } from "./errors.ts";

/** A file of the platform, on its way. */
export interface FetchedMedia {
  /** A media type in its plain form. */
  type: string;
  /** Number of bytes; null when the platform does not announce it. */
  length: number | null;
  body: ReadableStream<Uint8Array>;
}

export interface MediaRequest {
  mediaId: string;
  phoneNumberId: string;
  token: string;
}

/** The platform keeps what people send for some weeks; its links work for minutes. */
export const MEDIA_GONE = "gone";
export const MEDIA_TOO_LARGE = "too_large";

const MAX_RESPONSE_BYTES = 64 * 1024;
/** For the head of each response; the file itself takes as long as the client takes to read it. */
const TIMEOUT_MS = 20_000;

/** The platform's own hosts: the token goes nowhere else. Source: WhatsApp Cloud API, media. */
const PLATFORM_HOSTS = /^(?:[a-z0-9-]+\.)*(?:fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/;

const linkSchema = z.object({
  url: z.string().max(4096),
  mime_type: z.string().optional().catch(undefined),
});

/** Codes by which the platform says that a file is not there (any more). Source: WhatsApp Cloud API, error codes. */
const GONE_CODES = new Set([100, 33, 131052]);

/**
 * Fetches a file that a person sent: first its link, which lasts minutes, then its bytes, as the caller reads them.
 * Returns `MEDIA_GONE` when the platform does not have it any more, and `MEDIA_TOO_LARGE`.
 *
 * Throws `service_unavailable` when the platform cannot be reached, refuses the token, or names another host than its own.
 *
 * @param maxBytes a longer file is refused, or cut off with an error when its length was not announced
 */
export async function fetchMedia(
  config: WhatsappConfig,
  { mediaId, phoneNumberId, token }: MediaRequest,
  { maxBytes }: { maxBytes: number },
): Promise<FetchedMedia | typeof MEDIA_GONE | typeof MEDIA_TOO_LARGE> {
  if (!fitsHeader(token)) throw platformUnavailable("The sender's access token is malformed");
  const root = config.apiUrl.replace(/\/+$/, "");
  const query = new URLSearchParams({ phone_number_id: phoneNumberId });
  const link = await request(
    config,
    `${root}/${config.apiVersion}/${encodeURIComponent(mediaId)}?${query}`,
    token,
  );
  const described = await readJson(link, MAX_RESPONSE_BYTES);
  if (!link.ok) return refusal(described, link.status);
  const { url, mime_type } = linkSchema.safeParse(described).data ?? {};
  if (url === undefined || !isOfPlatform(url, root)) {
    throw platformUnavailable("The platform's response does not name a file on one of its own hosts");
  }
  const file = await request(config, url, token);
  if (!file.ok || file.body === null) {
    await file.body?.cancel();
    return refusal(undefined, file.status);
  }
  const announced = file.headers.get("content-length");
  const length = announced !== null && /^\d{1,15}$/.test(announced) ? Number(announced) : null;
  if (length !== null && length > maxBytes) {
    await file.body.cancel();
    return MEDIA_TOO_LARGE;
  }
  const type = mediaType(mime_type) ?? mediaType(file.headers.get("content-type")) ??
    "application/octet-stream";
  return { type, length, body: file.body.pipeThrough(upTo(maxBytes)) };
}

/** Never follows a redirect, which would take the token elsewhere. */
async function request({ fetch: given }: WhatsappConfig, url: string, token: string): Promise<Response> {
  const stopping = new AbortController();
  const timer = setTimeout(() => stopping.abort(), TIMEOUT_MS);
  try {
    return await (given ?? fetch)(url, {
      headers: { authorization: `Bearer ${token}`, "user-agent": "outbound", "accept-encoding": "identity" },
      redirect: "manual",
      signal: stopping.signal,
    });
  } catch {
    throw platformUnavailable("The platform cannot be reached");
  } finally {
    clearTimeout(timer);
  }
}

function refusal(body: unknown, httpStatus: number): typeof MEDIA_GONE {
  const error = readPlatformError(errorOf(body), { httpStatus });
  const isGone = error === null ? [404, 410].includes(httpStatus) : GONE_CODES.has(error.code);
  if (isGone) return MEDIA_GONE;
  throw platformUnavailable(error?.reason ?? `The platform responded with HTTP ${httpStatus}`);
}

function isOfPlatform(text: string, root: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username || url.password) return false;
  if (url.origin === new URL(root).origin) return true;
  return url.protocol === "https:" && url.port === "" && PLATFORM_HOSTS.test(url.hostname);
}

/** Without parameters, and nothing that is not a media type. */
function mediaType(text: string | null | undefined): string | undefined {
  return /^\s*([a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,100})\s*(?:;|$)/i.exec(text ?? "")?.[1]?.toLowerCase();
}

function upTo(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(piece, controller) {
      size += piece.byteLength;
      if (size > maxBytes) throw new Error(`The file is larger than ${maxBytes / 1024 / 1024} MB`);
      controller.enqueue(piece);
    },
  });
}
