import { z } from "zod";
import { type VoiceConfig, voiceUrl } from "./config.ts";
import { getJson } from "./get_json.ts";
import { lenient } from "./lenient.ts";

/** What the platform says about one session in a browser. */
export type SessionReport =
  | {
    kind: "found";
    agentId: string;
    /** False for a session that was prepared and that nobody entered yet. */
    hasBegun: boolean;
    /** Null when it does not say so. */
    startedAt: Date | null;
    /** Null while it goes on, or when it does not say so. */
    durationS: number | null;
  }
  | { kind: "missing" }
  /** Nothing is known: the platform did not answer, or not sensibly. */
  | { kind: "unavailable" };

const FINISHED = new Set(["done", "failed"]);
const MAX_SECONDS = 86_400;
const TIMEOUT_MS = 10_000;

const sessionSchema = z.looseObject({
  agent_id: z.string(),
  status: z.string(),
  metadata: lenient(z.looseObject({
    start_time_unix_secs: lenient(z.number().positive().max(1e11)),
    call_duration_secs: lenient(z.number().nonnegative()),
  })),
});

/** Asks the platform about a session. Never throws for what the platform or the network does. */
export async function readSession(
  config: VoiceConfig,
  { conversationId, apiKey }: { conversationId: string; apiKey: string },
): Promise<SessionReport> {
  const url = voiceUrl(config, "conversations", conversationId);
  const answer = await getJson(config, { url, apiKey }, { timeoutMs: TIMEOUT_MS });
  if (answer?.httpStatus === 404) return { kind: "missing" };
  const session = answer?.httpStatus === 200 ? sessionSchema.safeParse(answer.body).data : undefined;
  if (session === undefined) return { kind: "unavailable" };
  const { agent_id, status, metadata } = session;
  const start = metadata?.start_time_unix_secs;
  const duration = metadata?.call_duration_secs;
  return {
    kind: "found",
    agentId: agent_id,
    hasBegun: status !== "initiated",
    startedAt: start ? new Date(start * 1000) : null,
    durationS: FINISHED.has(status) && duration !== null && duration !== undefined
      ? Math.min(Math.ceil(duration), MAX_SECONDS)
      : null,
  };
}
