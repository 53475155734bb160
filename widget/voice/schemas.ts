import * as z from "zod/mini";

// Otherwise zod tries to compile functions from text; the page's policy forbids that and the console reports it.
z.config({ jitless: true });

/** Checked without `z.url`, which would weigh more than the rest: a client refuses an address that is none. */
const socketUrl = z.string().check(z.regex(/^wss?:\/\/./));

/** The response of `GET /voice-widget`. */
export const voiceWidgetSchema = z.object({
  language: z.string(),
  texts: z.record(z.string(), z.string()),
  appearance: z.optional(z.unknown()),
  colors: z.unknown(),
  dark_colors: z.optional(z.unknown()),
  logo: z.optional(z.unknown()),
  animation: z.object({
    type: z.literal(["orb", "pulse", "none"]),
    speed: z.number(),
    intensity: z.number(),
  }),
  features: z.object({
    transcript: z.boolean(),
    feedback: z.boolean(),
    handoff: z.boolean(),
    text_input: z.boolean(),
  }),
});

/** The response of `GET /voice-widget/signed-url`. */
export const entrySchema = z.object({
  signed_url: z.optional(socketUrl),
  conversation_token: z.optional(z.string()),
  session_token: z.string(),
  max_session_s: z.optional(z.number()),
});

/** The response of `POST /voice-widget/handoff`. */
export const handoffSchema = z.object({
  handoff_id: z.string(),
  url: socketUrl,
  token: z.string(),
});

/** The response of `POST /voice-widget/search`. */
export const searchSchema = z.object({
  results: z.array(z.object({ title: z.string(), text: z.string(), url: z.optional(z.string()) })),
});

/** The used part of the widget host's `manifest.json`. */
export const manifestSchema = z.object({
  files: z.record(z.string(), z.object({ url: z.string(), integrity: z.string() })),
});

export type VoiceWidget = z.infer<typeof voiceWidgetSchema>;
export type Entry = z.infer<typeof entrySchema>;
export type Handoff = z.infer<typeof handoffSchema>;
export type SearchResult = z.infer<typeof searchSchema>["results"][number];
