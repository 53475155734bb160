import type { VoiceFault } from "./fault.ts";
import { VoiceError } from "./voice_error.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** The answer a fault asks for that names a status: in one of the platform's forms, empty, or as it is given. */
export function faultyAnswer(voice: VoicePlatform, fault: VoiceFault, status: number): Response {
  const headers: Record<string, string> = fault.retry_after === undefined
    ? {}
    : { "Retry-After": String(fault.retry_after) };
  const code = fault.code ?? CODES[status] ?? "internal_error";
  voice.counters.refused[code] = (voice.counters.refused[code] ?? 0) + 1;
  if (fault.body !== undefined) return new Response(fault.body, { status, headers });
  if (fault.form === "none") return new Response(null, { status, headers });
  return Response.json({ detail: FORMS[fault.form ?? "current"](status, code).detail }, { status, headers });
}

const SIMULATED = "Simulated by a fault";

/** The code a fault has that names only a status. */
const CODES: Readonly<Record<number, string>> = {
  400: "invalid_parameters",
  401: "invalid_api_key",
  402: "insufficient_credits",
  403: "insufficient_permissions",
  404: "agent_not_found",
  409: "conflict",
  429: "rate_limit_exceeded",
  503: "maintenance",
};

const FORMS: Record<"current" | "older" | "list" | "text", (status: number, code: string) => VoiceError> = {
  current: (status, code) => VoiceError.current(status, code, SIMULATED),
  older: (status, code) => VoiceError.older(status, code, SIMULATED),
  list: (status, code) =>
    VoiceError.list([{ type: code, loc: ["body"], msg: SIMULATED, input: null }], status),
  text: (status) => VoiceError.text(status, SIMULATED),
};
