import { z } from "zod";
import { readControlBody } from "../control/read_control_body.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { sessionFaultSchema, sessionSettingsSchema } from "./session_fault.ts";
import { sessionView } from "./session_record.ts";
import type { VoiceSessions } from "./voice_sessions.ts";

const BASE = "/sandbox/voice-sessions";

/** Browser sessions as the sandbox saw them, their settings and their faults. */
export function registerSessionControls(app: SandboxApp, sessions: VoiceSessions): void {
  app.get(BASE, (c) => c.json({ data: [...sessions.records.values()].map(sessionView) }));
  app.get(`${BASE}/settings`, (c) => c.json(sessions.settings));
  app.put(`${BASE}/settings`, async (c) => {
    const changes = await readControlBody(c, sessionSettingsSchema.partial());
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    sessions.settings = { ...sessions.settings, ...Object.fromEntries(given) };
    return c.json(sessions.settings);
  });
  app.get(`${BASE}/faults`, (c) => c.json({ data: sessions.faults }));
  app.post(`${BASE}/faults`, async (c) => {
    const fault = await readControlBody(
      c,
      sessionFaultSchema as z.ZodType<z.infer<typeof sessionFaultSchema>>,
    );
    sessions.faults.push(fault);
    return c.json(fault, 201);
  });
  app.delete(`${BASE}/faults`, (c) => c.json({ removed: sessions.faults.splice(0).length }));
}
