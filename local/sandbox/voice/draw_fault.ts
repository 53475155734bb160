import type { MiddlewareHandler } from "hono";
import type { SendFacts } from "../control/faults.ts";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import { VoiceError } from "./voice_error.ts";
import type { VoiceFault } from "./voice_fault.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** Draws the faults for one request and publishes those that apply. */
export function drawFault(voice: VoicePlatform, facts: SendFacts): VoiceFault {
  const fault = voice.faults.draw(facts);
  if (Object.keys(fault).length > 0) {
    voice.events.publish({ kind: "voice_faults", faults: structuredClone(voice.faults.list()) });
  }
  return fault;
}

/** Applies the faults on reads of a route: late, never, a closed socket, a refusal or half a body. */
export function faultsOnReads(voice: VoicePlatform, route: string): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const fault = drawFault(voice, { route, to: "" });
    const { connection } = c.env;
    await connection.wait(fault.latency_ms ?? 0);
    if (fault.drop || fault.drop_before) return connection.drop();
    if (fault.hang) return await connection.hang();
    if (fault.http !== undefined) return faultResponse(voice, fault, fault.http);
    if (fault.invalid_json) return c.body('{"agent_id":"ag', 200, { "Content-Type": "application/json" });
    await next();
  };
}

/** The response of a fault that names a status: one of the platform's forms, empty, or the given body. */
export function faultResponse(voice: VoicePlatform, fault: VoiceFault, status: number): Response {
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

/** The code of a fault that names only a status. */
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
