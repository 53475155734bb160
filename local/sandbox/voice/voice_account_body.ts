import { z } from "zod";

const id = z.string().regex(/^[\w.-]{1,100}$/, "must be letters, digits, _, - and .");
const number = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be + and digits with the country code");
const lineSchema = z.strictObject({ role: z.enum(["agent", "user"]), message: z.string().min(1) });

/** What `POST /sandbox/voice/accounts` takes: one account, in the words of `VoiceOptions`. */
export const voiceAccountSchema = z.strictObject({
  id,
  apiKey: z.string().min(1).regex(/^\S+$/),
  concurrency: z.number().int().min(0).optional(),
  callsPerSecond: z.number().int().min(0).optional(),
  agents: z.array(z.strictObject({
    agentId: id,
    name: z.string().min(1),
    firstMessage: z.string(),
    script: z.array(lineSchema).optional(),
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
