import { z } from "zod";
import { ControlError } from "../control/control_error.ts";
import { registerFaultRoutes } from "../control/fault_routes.ts";
import { readControlBody } from "../control/read_control_body.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { registerCallRoutes } from "./call_routes.ts";
import { outcomeSchema, voiceFaultRuleSchema } from "./fault.ts";
import type { VoiceAccount } from "./options.ts";
import { voiceSettingsSchema } from "./settings.ts";
import { voiceAccountSchema } from "./voice_account_body.ts";
import type { VoicePlatform } from "./voice_platform.ts";

const milliseconds = z.number().int().min(0).max(86_400_000);

const outcomeBody = z.strictObject({
  to: z.string().transform((to) => to.replace(/\D/g, "")).pipe(z.string().min(7).max(15)),
  outcome: outcomeSchema,
  ring_ms: milliseconds.optional(),
  talk_ms: milliseconds.optional(),
  duration_secs: z.number().int().min(0).max(86_400).optional(),
  lost: z.boolean().optional(),
});

/** Everything of the voice platform under `/sandbox`: what it does not have itself, for tests and for the page. */
export function registerVoiceControlRoutes(app: SandboxApp, platform: Platform): void {
  const { voice } = platform;
  registerCallRoutes(app, platform);
  registerFaultRoutes(app, {
    path: "/sandbox/voice/faults",
    faults: voice.faults,
    schema: voiceFaultRuleSchema,
    tell: () => voice.events.publish({ kind: "voice_faults", faults: structuredClone(voice.faults.list()) }),
  });
  registerOutcomeRoutes(app, voice);
  app.get("/sandbox/voice/settings", (c) => c.json(voice.settings));
  app.put("/sandbox/voice/settings", async (c) => {
    const changes = await readControlBody(c, voiceSettingsSchema.partial());
    voice.settings = { ...voice.settings, ...changes } as VoicePlatform["settings"];
    voice.events.publish({ kind: "voice_settings", settings: voice.settings });
    return c.json(voice.settings);
  });
  app.get("/sandbox/voice/accounts", (c) => c.json({ data: voice.accounts.list().map(accountView) }));
  app.post("/sandbox/voice/accounts", async (c) => {
    const account = JSON.parse(JSON.stringify(await readControlBody(c, voiceAccountSchema))) as VoiceAccount;
    if (!voice.accounts.put(account)) throw new ControlError(400, "Another account has this apiKey");
    voice.journal.write({ t: "voice_account", account });
    return c.json(accountView(account));
  });
}

/** `GET`, `PUT` and `DELETE /sandbox/voice/outcomes`: how calls to a number end. */
function registerOutcomeRoutes(app: SandboxApp, voice: VoicePlatform): void {
  const list = () => [...voice.outcomes].map(([to, outcome]) => ({ to, ...outcome }));
  const tell = () => voice.events.publish({ kind: "voice_outcomes", outcomes: list() });
  app.get("/sandbox/voice/outcomes", (c) => c.json({ data: list() }));
  app.put("/sandbox/voice/outcomes", async (c) => {
    const { to, ...outcome } = await readControlBody(c, outcomeBody);
    voice.outcomes.set(to, outcome);
    tell();
    return c.json({ to, ...outcome });
  });
  app.delete("/sandbox/voice/outcomes", (c) => {
    const to = c.req.query("to")?.replace(/\D/g, "");
    const before = voice.outcomes.size;
    if (to === undefined) voice.outcomes.clear();
    else voice.outcomes.delete(to);
    tell();
    return c.json({ removed: before - voice.outcomes.size });
  });
}

function accountView({ id, concurrency, callsPerSecond, agents, phoneNumbers }: VoiceAccount) {
  return { id, concurrency, callsPerSecond, agents, phoneNumbers };
}
