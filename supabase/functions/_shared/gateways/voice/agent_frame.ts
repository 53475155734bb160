import { z } from "zod";
import { lenient } from "./fields.ts";

/** One turn of the agent has one id, and later turns higher ones. */
const said = { event_id: lenient(z.number()) };

/** A tool that the platform runs for the agent. */
const tool = z.looseObject({ tool_name: z.string(), tool_call_id: lenient(z.string()) });

/** Source: `generated/types/asyncapi-types.ts` of `@elevenlabs/types`. */
const frameSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("conversation_initiation_metadata") }),
  z.looseObject({ type: z.literal("ping"), ping_event: z.looseObject({ event_id: z.number() }) }),
  z.looseObject({
    type: z.literal("agent_response"),
    agent_response_event: z.looseObject({ ...said, agent_response: z.string() }),
  }),
  z.looseObject({
    type: z.literal("agent_response_correction"),
    agent_response_correction_event: z.looseObject({ ...said, corrected_agent_response: z.string() }),
  }),
  z.looseObject({
    type: z.literal("agent_chat_response_part"),
    text_response_part: z.looseObject({ ...said, text: z.string().catch(""), type: z.string() }),
  }),
  z.looseObject({
    type: z.literal("client_tool_call"),
    client_tool_call: z.looseObject({ tool_call_id: z.string() }),
  }),
  z.looseObject({ type: z.literal("agent_tool_request"), agent_tool_request: tool }),
  z.looseObject({
    type: z.literal("agent_tool_response"),
    agent_tool_response: tool.extend({ is_error: z.boolean().catch(false) }),
  }),
  z.looseObject({ type: z.literal("external_agent_connected") }),
  z.looseObject({
    type: z.literal("error"),
    error_event: z.looseObject({
      code: lenient(z.number()),
      error_type: lenient(z.string()),
      message: lenient(z.string()),
    }),
  }),
]);

/** A frame of the platform that means something in a text session. */
export type AgentFrame = z.infer<typeof frameSchema>;

/** Reads a frame; undefined for one that is not JSON, or of no use in a text session: unknown types are ignored. */
export function readAgentFrame(text: string): AgentFrame | undefined {
  try {
    return frameSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
