import { z } from "zod";
import { ControlError, readControlBody } from "../control/control_request.ts";
import { registerFaultRoutes } from "../control/faults.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { registerCallRoutes } from "./calls/call_routes.ts";
import type { VoiceAccount } from "./voice_accounts.ts";
import { outcomeSchema, voiceFaultRuleSchema } from "./voice_fault.ts";
import type { VoicePlatform } from "./voice_platform.ts";
import { voiceSettingsSchema } from "./voice_settings.ts";

const milliseconds = z.number().int().min(0).max(86_400_000);

const outcomeBody = z.strictObject({
  to: z.string().transform((to) => to.replace(/\D/g, "")).pipe(z.string().min(7).max(15)),
  outcome: outcomeSchema,
  ring_ms: milliseconds.optional(),
  talk_ms: milliseconds.optional(),
  duration_secs: z.number().int().min(0).max(86_400).optional(),
  lost: z.boolean().optional(),
});

/** Registers the controls of the voice platform under `/sandbox`, for tests and for the page. */
export function registerVoiceControlRoutes(app: SandboxApp, platform: Platform): void {
  const { voice } = platform;
  registerCallRoutes(app, platform);
  registerFaultRoutes(app, {
    path: "/sandbox/voice/faults",
    faults: voice.faults,
    schema: voiceFaultRuleSchema,
    publish: () =>
      voice.events.publish({ kind: "voice_faults", faults: structuredClone(voice.faults.list()) }),
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

/** Registers `GET`, `PUT` and `DELETE /sandbox/voice/outcomes`: the outcome of calls to a number. */
function registerOutcomeRoutes(app: SandboxApp, voice: VoicePlatform): void {
  const list = () => [...voice.outcomes].map(([to, outcome]) => ({ to, ...outcome }));
  const publish = () => voice.events.publish({ kind: "voice_outcomes", outcomes: list() });
  app.get("/sandbox/voice/outcomes", (c) => c.json({ data: list() }));
  app.put("/sandbox/voice/outcomes", async (c) => {
    const { to, ...outcome } = await readControlBody(c, outcomeBody);
    voice.outcomes.set(to, outcome);
    publish();
    return c.json({ to, ...outcome });
  });
  app.delete("/sandbox/voice/outcomes", (c) => {
    const to = c.req.query("to")?.replace(/\D/g, "");
    const before = voice.outcomes.size;
    if (to === undefined) voice.outcomes.clear();
    else voice.outcomes.delete(to);
    publish();
    return c.json({ removed: before - voice.outcomes.size });
  });
}

function accountView({ id, concurrency, callsPerSecond, agents, phoneNumbers }: VoiceAccount) {
  return { id, concurrency, callsPerSecond, agents, phoneNumbers };
}

const id = z.string().regex(/^[\w.-]{1,100}$/, "must be letters, digits, _, - and .");
const number = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be + and digits with the country code");
const turnSchema = z.strictObject({ role: z.enum(["agent", "user"]), message: z.string().min(1) });

/** The body of `POST /sandbox/voice/accounts`: one account, with the fields of `VoiceOptions`. */
const voiceAccountSchema = z.strictObject({
  id,
  apiKey: z.string().min(1).regex(/^\S+$/),
  concurrency: z.number().int().min(0).optional(),
  callsPerSecond: z.number().int().min(0).optional(),
  agents: z.array(z.strictObject({
    agentId: id,
    name: z.string().min(1),
    firstMessage: z.string(),
    script: z.array(turnSchema).optional(),
    prompt: z.string().optional(),
    language: z.string().optional(),
  })),
  phoneNumbers: z.array(z.strictObject({
    phoneNumberId: id,
    phoneNumber: number,
    provider: z.enum(["twilio", "sip_trunk"]),
    label: z.string().optional(),
    supportsOutbound: z.boolean().optional(),
    agentId: id.optional(),
  })),
});
