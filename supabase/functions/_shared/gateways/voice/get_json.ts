import { startDeadline } from "../deadline.ts";
import { readJson } from "../read_json.ts";
import { authorization, type VoiceConfig } from "./config.ts";

/** What the platform answered to a question; `body` is undefined when it is no JSON. */
export interface Answer {
  httpStatus: number;
  headers: Headers;
  body: unknown;
}

/** A transcript of a long call is a few hundred KiB. */
const LONGEST_ANSWER = 8 * 1024 * 1024;

/** Asks the platform something. Null when there is no answer: what the network does never throws. */
export async function getJson(
  config: VoiceConfig,
  { url, apiKey }: { url: string; apiKey: string },
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<Answer | null> {
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const headers = authorization(apiKey);
    const response = await (config.fetch ?? fetch)(url, {
      headers,
      redirect: "manual",
      signal: deadline.signal,
    });
    const body = await readJson(response, LONGEST_ANSWER);
    return { httpStatus: response.status, headers: response.headers, body };
  } catch {
    // The runtime's error is dropped: it may quote the header, and with it the key.
    return null;
  } finally {
    deadline.clear();
  }
}
