import { startDeadline } from "../../concurrency/deadline.ts";
import { readJson } from "../http_client.ts";
import type { PlatformTransport } from "../posting/post_once.ts";

/** The address of the voice platform. A stand-in differs in `apiUrl` only. */
export interface VoiceConfig extends PlatformTransport {
  /** Without a path, `https://api.elevenlabs.io`. */
  apiUrl: string;
}

/** Returns the URL of a path of the platform's agents API, such as `conversations`, with its segments encoded. */
export function voiceUrl(config: VoiceConfig, ...segments: string[]): string {
  const path = segments.map(encodeURIComponent).join("/");
  return `${config.apiUrl}/v1/convai/${path}`;
}

/** Returns the header with which a request names its account. */
export function authorization(apiKey: string): Record<string, string> {
  return { "xi-api-key": apiKey };
}

/** A response of the platform; `body` is undefined when it is not JSON. */
export interface VoiceResponse {
  httpStatus: number;
  headers: Headers;
  body: unknown;
}

/** A transcript of a long call is a few hundred KiB. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Makes a GET request to the platform. Returns null without a response: failures of the network do not throw. */
export async function getJson(
  config: VoiceConfig,
  { url, apiKey }: { url: string; apiKey: string },
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<VoiceResponse | null> {
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const headers = authorization(apiKey);
    const response = await (config.fetch ?? fetch)(url, {
      headers,
      redirect: "manual",
      signal: deadline.signal,
    });
    const body = await readJson(response, MAX_RESPONSE_BYTES);
    return { httpStatus: response.status, headers: response.headers, body };
  } catch {
    // The runtime's error is dropped: it may quote the header, and with it the key.
    return null;
  } finally {
    deadline.clear();
  }
}
