import { z } from "@hono/zod-openapi";

/** An uncompressed point of P-256, in base64url. */
const POINT = /^B[\w-]{86}$/;
const AUTH = /^[\w-]{22}$/;
/** Push services' addresses have a few hundred characters. */
const MAX_ENDPOINT_LENGTH = 1000;

export const pushSubscriptionParams = z.object({ subscription_id: z.guid() });

export const pushSubscriptionBody = z.strictObject({
  endpoint: z.string().max(MAX_ENDPOINT_LENGTH, `at most ${MAX_ENDPOINT_LENGTH} characters`).openapi({
    description: "It begins with https://",
  }),
  keys: z.strictObject({
    p256dh: z.string().regex(POINT, "a public key of P-256 in base64url"),
    auth: z.string().regex(AUTH, "16 bytes in base64url"),
  }),
  language: z.string().regex(/^[a-z]{2}$/, "two small letters").openapi({
    description: "Of the notifications",
  }),
}).openapi("MyPushSubscriptionRequest");

export const pushSubscriptionSchema = z.object({
  subscription_id: z.guid(),
  endpoint: z.string(),
  language: z.string(),
  created_at: z.iso.datetime(),
}).openapi("MyPushSubscription");

export const pushSubscriptionBodyExample: z.input<typeof pushSubscriptionBody> = {
  endpoint: "https://push.example.com/send/dQw4w9WgXcQ",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  language: "en",
};

export const pushSubscriptionExample: z.input<typeof pushSubscriptionSchema> = {
  subscription_id: "0192f8b1-1111-4222-8333-444455556666",
  endpoint: pushSubscriptionBodyExample.endpoint,
  language: "en",
  created_at: "2026-12-01T09:00:00Z",
};
