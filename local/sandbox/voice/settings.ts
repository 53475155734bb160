import { z } from "zod";

const milliseconds = z.number().int().min(0).max(86_400_000);

/** What `GET` and `PUT /sandbox/voice/settings` carry; a PUT may name any part of it. */
export const voiceSettingsSchema = z.strictObject({
  /** From taking a call to somebody, or a machine, picking up, or to the busy signal. */
  ring_ms: milliseconds,
  /** How long a phone rings that nobody picks up; the call's own ring timeout ends it sooner. */
  no_answer_ms: milliseconds,
  /** From picking up to hanging up. */
  talk_ms: milliseconds,
  /** From hanging up to the finished analysis and its webhook. */
  analysis_ms: milliseconds,
  /** The length the platform reports. `null` = the real one, at least a second. */
  duration_secs: z.number().int().min(0).max(86_400).nullable(),
  /** On: every phone rings until somebody answers or rejects it, or its ring timeout ends. */
  manual: z.boolean(),
  /** Delay of every answer to an outbound call; the call is made at once. */
  latency_ms: milliseconds,
  /** On: machine detection is on for every Twilio call, asked for or not. */
  machine_detection: z.boolean(),
  /** Overrides every account's own limit. `null` = each its own; 0 = none. */
  concurrency: z.number().int().min(0).nullable(),
  calls_per_second: z.number().int().min(0).nullable(),
  /** Off: calls still happen, but nobody is told. */
  webhooks: z.boolean(),
  webhook_url: z.url({ protocol: /^https?$/ }).nullable(),
  /** How often an event is tried that is not answered 200. The platform tells an event once. */
  webhook_tries: z.number().int().min(1).max(20),
  webhook_retry_ms: z.number().int().min(10).max(600_000),
});

export type VoiceSettings = z.infer<typeof voiceSettingsSchema>;

/** The settings the voice platform starts with: quick enough to watch, slow enough to read along. */
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
    webhook_tries: 1,
    webhook_retry_ms: 1000,
  };
}
