import { z } from "zod";
import {
  FILE_TOO_LARGE,
  fileOf,
  mediaType,
  type PlatformFile,
  readShortJson,
  requestFile,
} from "../fetch_file.ts";
import { fitsHeader } from "../http_client.ts";
import { errorOf, platformUnavailable, readPlatformError, type WhatsappConfig } from "./errors.ts";

export interface MediaRequest {
  mediaId: string;
  phoneNumberId: string;
  token: string;
}

/** The platform keeps what people send for some days; its links work for minutes. */
export const MEDIA_GONE = "gone";

const MAX_RESPONSE_BYTES = 64 * 1024;

/** An error of the platform, or of a proxy in between, may be a page with status 200. */
const PAGE = "text/html";

/** The platform's own hosts: the token goes nowhere else. Source: WhatsApp Cloud API, media. */
const PLATFORM_HOSTS = /^(?:[a-z0-9-]+\.)*(?:fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/;

const linkSchema = z.object({
  url: z.string().max(4096),
  mime_type: z.string().optional().catch(undefined),
  file_size: z.coerce.number().int().positive().optional().catch(undefined),
});

/** Codes by which the platform says that a file is not there (any more). Source: WhatsApp Cloud API, error codes. */
const GONE_CODES = new Set([100, 33, 131052]);

/**
 * Fetches a file that a person sent: first its link, which lasts minutes, then its bytes, as the caller reads them.
 * Returns `MEDIA_GONE` when the platform does not have it any more, and `FILE_TOO_LARGE`.
 *
 * Throws `service_unavailable` when the platform cannot be reached, refuses the token, responds with a page, or names
 * another host than its own.
 *
 * @param options `maxBytes`: a longer file is refused, or cut off with an error when its length was not announced;
 * `signal` ends the requests and the body
 */
export async function fetchMedia(
  config: WhatsappConfig,
  { mediaId, phoneNumberId, token }: MediaRequest,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal | undefined },
): Promise<PlatformFile | typeof MEDIA_GONE | typeof FILE_TOO_LARGE> {
  if (!fitsHeader(token)) throw platformUnavailable("The sender's access token is malformed");
  const root = config.apiUrl;
  const query = new URLSearchParams({ phone_number_id: phoneNumberId });
  const link = await request(
    config,
    `${root}/${config.apiVersion}/${encodeURIComponent(mediaId)}?${query}`,
    { token, signal },
  );
  const described = await readShortJson(link, { maxBytes: MAX_RESPONSE_BYTES });
  if (!link.ok) return refusal(described, link.status);
  const { url, mime_type, file_size } = linkSchema.safeParse(described).data ?? {};
  if (url === undefined || !isOfPlatform(url, root)) {
    throw platformUnavailable("The platform's response does not name a file on one of its own hosts");
  }
  const response = await request(config, url, { token, signal });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return refusal(undefined, response.status);
  }
  const file = await fileOf(response, { maxBytes });
  if (file === FILE_TOO_LARGE) return file;
  const [type, length] = [mediaType(mime_type) ?? file.type, file.length ?? file_size ?? null];
  const isPage = file.type === PAGE && type !== PAGE;
  if (!isPage && (length ?? 0) <= maxBytes) return { ...file, type, length };
  await file.body.cancel();
  if (isPage) throw platformUnavailable("The platform responded with a page instead of the file");
  return FILE_TOO_LARGE;
}

async function request(
  { fetch }: WhatsappConfig,
  url: string,
  { token, signal }: { token: string; signal: AbortSignal | undefined },
): Promise<Response> {
  const response = await requestFile(url, { authorization: `Bearer ${token}` }, { fetch, signal });
  if (response === null) throw platformUnavailable("The platform cannot be reached");
  return response;
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
