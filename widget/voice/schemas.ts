import * as z from "zod/mini";

// zod would otherwise try to make functions from text, which the page's policy forbids and the console would show.
z.config({ jitless: true });

/** What `GET /voice-widget` answers. */
export const voiceWidgetSchema = z.object({
  language: z.string(),
  texts: z.record(z.string(), z.string()),
  colors: z.unknown(),
  animation: z.object({ type: z.enum(["orb", "pulse", "none"]), speed: z.number(), intensity: z.number() }),
  features: z.object({
    transcript: z.boolean(),
    feedback: z.boolean(),
    handoff: z.boolean(),
    text_input: z.boolean(),
  }),
});

/** What `GET /voice-widget/signed-url` answers. */
export const entrySchema = z.object({
  signed_url: z.optional(z.url({ protocol: /^wss?$/ })),
  conversation_token: z.optional(z.string()),
  session_token: z.string(),
  max_session_s: z.optional(z.number()),
});

/** What all of them answer when they refuse. */
export const errorSchema = z.object({ error: z.string() });

/** What `POST /voice-widget/handoff` answers. */
export const handoffSchema = z.object({
  handoff_id: z.string(),
  url: z.url({ protocol: /^wss?$/ }),
  token: z.string(),
});

/** What `POST /voice-widget/search` answers. */
export const searchSchema = z.object({
  results: z.array(z.object({ title: z.string(), text: z.string(), url: z.optional(z.string()) })),
});

/** The part of the widget host's `manifest.json` that is needed here. */
export const manifestSchema = z.object({
  files: z.record(z.string(), z.object({ url: z.string(), integrity: z.string() })),
});

export type VoiceWidget = z.infer<typeof voiceWidgetSchema>;
export type Entry = z.infer<typeof entrySchema>;
export type Handoff = z.infer<typeof handoffSchema>;
export type SearchResult = z.infer<typeof searchSchema>["results"][number];
