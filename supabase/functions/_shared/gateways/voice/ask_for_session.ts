import { z } from "zod";
import { AppError, notSetUp, upstreamUnavailable } from "../../errors.ts";
import { retryAfterSeconds } from "../retry_after.ts";
import { authorization, type VoiceConfig } from "./config.ts";

/** Visitors wait for it. */
const TIMEOUT_MS = 10_000;

const errorSchema = z.object({
  detail: z.object({ code: z.string().nullish(), status: z.string().nullish() }),
});

/**
 * Asks the voice platform something a browser session needs, and checks the answer.
 *
 * Throws `agent_not_found` or `not_found` when the platform says so, and `service_unavailable` (502) for all else that
 * is no answer: the visitor can do nothing about a key that has run out either.
 */
export async function askForSession<Schema extends z.ZodType>(
  config: VoiceConfig,
  { url, apiKey, init }: { url: string; apiKey: string; init?: RequestInit },
  schema: Schema,
): Promise<z.infer<Schema>> {
  const response = await (config.fetch ?? fetch)(url, {
    ...init,
    headers: { ...authorization(apiKey), ...init?.headers },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw voiceUnavailable({ cause });
  });
  const body = await response.json().catch(() => undefined);
  const answer = response.ok ? schema.safeParse(body).data : undefined;
  if (answer !== undefined) return answer;
  throw refusal(response, body);
}

function refusal({ status, headers }: Response, body: unknown): AppError {
  const detail = errorSchema.safeParse(body).data?.detail;
  const code = detail?.code ?? detail?.status;
  if (code === "agent_not_found") {
    return new AppError("agent_not_found", "The voice platform does not know this widget's agent");
  }
  if (status === 404) return new AppError("not_found", "The voice platform knows no such conversation");
  // No waiting mends a key or an account that the platform does not accept.
  if (status === 401 || status === 403) {
    return notSetUp("voice", "The voice platform does not accept this server's key; tell its operator");
  }
  return voiceUnavailable({
    cause: new Error(`HTTP ${status} ${code ?? ""}`),
    retryAfter: retryAfterSeconds(headers),
  });
}

/** The 502 for a platform that did not respond, or not sensibly. */
export function voiceUnavailable(
  options: { cause?: unknown; retryAfter?: number | undefined } = {},
): AppError {
  return upstreamUnavailable("voice", "The voice platform cannot be reached; try again in a moment", options);
}
