import { z } from "zod";

/** The first frame a client sends. */
export const initiationSchema = z.looseObject({
  type: z.literal("conversation_initiation_client_data"),
  conversation_config_override: z.looseObject({
    agent: z.looseObject({ first_message: z.string().nullish(), language: z.string().nullish() }).nullish(),
    conversation: z.looseObject({ text_only: z.boolean().nullish() }).nullish(),
  }).nullish(),
  dynamic_variables: z.record(z.string(), z.unknown()).nullish(),
  user_id: z.string().nullish(),
});

/** The later frames that mean something here; like the platform, the sandbox ignores all others. */
export const clientFrameSchema = z.union([
  z.looseObject({ user_audio_chunk: z.base64() }),
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("pong"), event_id: z.number() }),
    z.looseObject({ type: z.literal("user_message"), text: z.string() }),
    z.looseObject({ type: z.literal("contextual_update"), text: z.string() }),
    z.looseObject({ type: z.literal("user_activity") }),
    z.looseObject({ type: z.literal("feedback"), score: z.enum(["like", "dislike"]).nullable() }),
    z.looseObject({ type: z.literal("client_tool_result"), result: z.string(), is_error: z.boolean() }),
  ]),
]);

export type Initiation = z.infer<typeof initiationSchema>;
export type ClientFrame = z.infer<typeof clientFrameSchema>;
