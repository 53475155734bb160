import type { MiddlewareHandler } from "hono";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import { faultyAnswer } from "./faulty_answer.ts";
import { meetFaults } from "./meet_faults.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** Lets the faults on a route's reads strike: late, never, with a closed socket, a refusal or half a body. */
export function readFaults(voice: VoicePlatform, route: string): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const fault = meetFaults(voice, { route, to: "" });
    const { connection } = c.env;
    await connection.wait(fault.latency_ms ?? 0);
    if (fault.drop || fault.drop_before) return connection.drop();
    if (fault.hang) return await connection.hang();
    if (fault.http !== undefined) return faultyAnswer(voice, fault, fault.http);
    if (fault.invalid_json) return c.body('{"agent_id":"ag', 200, { "Content-Type": "application/json" });
    await next();
  };
}
