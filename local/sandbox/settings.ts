import { z } from "zod";

const milliseconds = z.number().int().min(0).max(86_400_000);

/** The body of `GET` and `PUT /sandbox/settings`; a PUT may name any part of it. */
export const settingsSchema = z.strictObject({
  /** From accepting a message to its `sent` status. */
  sent_ms: milliseconds,
  delivered_ms: milliseconds,
  read_ms: milliseconds,
  /** Delay of every response to a send; the message is accepted at once. */
  latency_ms: milliseconds,
  /** From submitting a template to its review. `null` = reviewed manually. */
  review_ms: milliseconds.nullable(),
  /** How long the address of a media file is valid, in seconds. */
  media_url_s: z.number().int().min(0).max(86_400),
  /** Off: statuses still change here, but no webhook reports them. */
  webhooks: z.boolean(),
  webhook_url: z.url({ protocol: /^https?$/ }).nullable(),
  /** First wait after a webhook without a 200 response; doubles each time, up to ten minutes. */
  webhook_retry_ms: z.number().int().min(10).max(600_000),
  /** One message per 6 s from a number to one person, 45 in a burst. */
  pair_limit: z.boolean(),
  /** Overrides the limit of every number. `null` = the number's own; 0 = none. */
  rate_per_second: z.number().int().min(0).nullable(),
});

export type Settings = z.infer<typeof settingsSchema>;

/** The settings a sandbox starts with: quick enough to watch, slow enough to see each tick. */
export function defaultSettings(webhookUrl: string | null, reviewMs: number | null = null): Settings {
  return {
    sent_ms: 150,
    delivered_ms: 600,
    read_ms: 2000,
    latency_ms: 0,
    review_ms: reviewMs,
    media_url_s: 300,
    webhooks: true,
    webhook_url: webhookUrl,
    webhook_retry_ms: 1000,
    pair_limit: false,
    rate_per_second: null,
  };
}
