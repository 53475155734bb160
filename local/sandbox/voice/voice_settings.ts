import { z } from "zod";

const milliseconds = z.number().int().min(0).max(86_400_000);

/** The body of `GET` and `PUT /sandbox/voice/settings`; a PUT may name any part of it. */
export const voiceSettingsSchema = z.strictObject({
  /** From accepting a call to the pickup by a person or a machine, or to the busy signal. */
  ring_ms: milliseconds,
  /** Ring time without a pickup; the call's own ring timeout ends it sooner. */
  no_answer_ms: milliseconds,
  /** From picking up to hanging up. */
  talk_ms: milliseconds,
  /** From hanging up to the finished analysis and its webhook. */
  analysis_ms: milliseconds,
  /** The length that the platform reports. `null` = the real one, at least one second. */
  duration_secs: z.number().int().min(0).max(86_400).nullable(),
  /** On: every phone rings until a manual action or its ring timeout. */
  manual: z.boolean(),
  /** Delay of every response to an outbound call; the call is made at once. */
  latency_ms: milliseconds,
  /** On: every Twilio call has machine detection, requested or not. */
  machine_detection: z.boolean(),
  /** Overrides the limit of every account. `null` = the account's own; 0 = none. */
  concurrency: z.number().int().min(0).nullable(),
  calls_per_second: z.number().int().min(0).nullable(),
  /** Off: calls still happen, but no webhook reports them. */
  webhooks: z.boolean(),
  webhook_url: z.url({ protocol: /^https?$/ }).nullable(),
  /** Tries for an event without a 200 response. The platform itself tries once. */
  webhook_attempts: z.number().int().min(1).max(20),
  webhook_retry_ms: z.number().int().min(10).max(600_000),
});

export type VoiceSettings = z.infer<typeof voiceSettingsSchema>;

/** The settings at the start: quick enough to watch, slow enough to read along. */
export function defaultVoiceSettings(webhookUrl: string | null): VoiceSettings {
  return {
    ring_ms: 3000,
    no_answer_ms: 8000,
    talk_ms: 9000,
    analysis_ms: 500,
    duration_secs: null,
    manual: false,
    latency_ms: 0,
    machine_detection: false,
    concurrency: null,
    calls_per_second: null,
    webhooks: true,
    webhook_url: webhookUrl,
    webhook_attempts: 1,
    webhook_retry_ms: 1000,
  };
}
