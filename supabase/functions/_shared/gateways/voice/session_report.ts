import { z } from "zod";
import { getJson, type VoiceConfig, voiceUrl } from "./client.ts";
import { lenient } from "./fields.ts";
import { AppError } from "../../errors.ts";
import { requestForSession } from "./sessions.ts";

/** The platform's report on one session in a browser. */
export type SessionReport =
  | {
    kind: "found";
    agentId: string;
    /** False for a session that was prepared, and that no visitor has entered yet. */
    hasBegun: boolean;
    /** Null when the platform does not say. */
    startedAt: Date | null;
    /** Null while the session is running, or when the platform does not say. */
    durationS: number | null;
  }
  | { kind: "missing" }
  /** The platform did not respond, or not as documented. */
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

/** Reads a session from the platform. Never throws for what the platform or the network does. */
export async function readSession(
  config: VoiceConfig,
  { conversationId, apiKey }: { conversationId: string; apiKey: string },
): Promise<SessionReport> {
  const url = voiceUrl(config, "conversations", conversationId);
  const response = await getJson(config, { url, apiKey }, { timeoutMs: TIMEOUT_MS });
  if (response?.httpStatus === 404) return { kind: "missing" };
  const session = response?.httpStatus === 200 ? sessionSchema.safeParse(response.body).data : undefined;
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

/** The words of a browser session. */
export interface SessionTranscript {
  conversation_id: string;
  /** The platform's own: `initiated`, `in-progress`, `processing`, `done`, `failed`, or a newer one. */
  status: string;
  messages: { role: "user" | "agent"; text: string; time_in_call_secs: number }[];
}

const lineSchema = z.looseObject({
  role: z.enum(["user", "agent"]),
  message: z.string().min(1),
  time_in_call_secs: z.number().nonnegative().catch(0),
});

const conversationSchema = z.looseObject({
  agent_id: z.string(),
  status: z.string(),
  transcript: z.array(z.unknown()).nullish().catch(undefined),
});

/**
 * Reads a session from the platform, if it was one with this agent. Throws `not_found` or `service_unavailable`.
 * Source: Agents API, get conversation.
 */
export async function sessionTranscript(
  config: VoiceConfig,
  { conversationId, agentId, apiKey }: { conversationId: string; agentId: string; apiKey: string },
): Promise<SessionTranscript> {
  const url = voiceUrl(config, "conversations", conversationId);
  const { agent_id, status, transcript } = await requestForSession(
    config,
    { url, apiKey },
    conversationSchema,
  );
  if (agent_id !== agentId) {
    throw new AppError("not_found", "The voice platform does not know this conversation");
  }
  const messages = (transcript ?? []).flatMap((line) => {
    const { data } = lineSchema.safeParse(line);
    return data ? [{ role: data.role, text: data.message, time_in_call_secs: data.time_in_call_secs }] : [];
  });
  return { conversation_id: conversationId, status, messages };
}
