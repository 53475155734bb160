import { readText } from "./http1/response_text.ts";

/** Headers of a response, by name in lower case. */
export interface ReadableHeaders {
  get(name: string): string | null | undefined;
}

/** The characters of a header's value. The runtime's own error about any other would quote the secret. */
const HEADER_SECRET = /^[\x21-\x7e]+$/;

/** Returns whether a token or key can go into a header as it is. */
export function fitsHeader(secret: string): boolean {
  return HEADER_SECRET.test(secret);
}

/**
 * Reads at most `limit` bytes of a response as JSON. Undefined when it is longer, cut off by the network or not JSON:
 * proxies in front of the platform send pages of their own.
 */
export async function readJson(response: Response, limit: number): Promise<unknown> {
  try {
    const text = await readBody(response, limit);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readBody(response: Response, limit: number): Promise<string | undefined> {
  const announced = Number(response.headers.get("content-length") ?? NaN);
  // Every send by `fetch` takes this path: chunk by chunk, a response costs nearly twice as much.
  if (announced <= limit && !response.headers.has("content-encoding")) return await response.text();
  // A body that is too long is cancelled, which drops the connection instead of draining it.
  return response.body === null ? undefined : await readText(response.body, limit);
}

/** Returns the seconds to wait by a `Retry-After` header, which holds a number or an HTTP date; undefined without a valid one. */
export function retryAfterSeconds(headers: ReadableHeaders, now: Date = new Date()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Date.parse() takes numbers such as "-5" for years; a date in a header starts with the day of the week.
  const at = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

/** Returns a `fetch` that fails after `timeoutMs`, for libraries that would wait forever. */
export function fetchInTime(timeoutMs: number): typeof fetch {
  return (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
}
