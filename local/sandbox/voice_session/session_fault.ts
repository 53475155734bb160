import { z } from "zod";

const milliseconds = z.number().int().min(0).max(600_000);

/** The body of `POST /sandbox/voice-sessions/faults`: all of it applies to the next session, or the next `times`. */
export const sessionFaultSchema = z.strictObject({
  /** Close the socket before the metadata, with this code and reason. */
  refuse: z.strictObject({
    code: z.number().int().min(3000).max(4999).or(z.literal([1008, 1011])),
    reason: z.string().max(120),
  })
    .optional(),
  /** Respond to the server's request for a signed URL or a token with this status. */
  http: z.number().int().min(400).max(599).optional(),
  /** Cut the connection, without a close frame, this long after the metadata. */
  drop_after_ms: milliseconds.optional(),
  /** Wait before the metadata. */
  metadata_ms: milliseconds.optional(),
  /** Send an error event after the first message. */
  error: z.strictObject({
    code: z.number().int(),
    message: z.string().max(1000),
    error_type: z.string().max(100).optional(),
  }).optional(),
  /** The agent does not react to what the visitor writes or says. */
  silent: z.boolean().optional(),
  /** For sessions with this agent only. */
  agent_id: z.string().max(200).optional(),
  times: z.number().int().min(1).default(1),
});

export type SessionFault = z.infer<typeof sessionFaultSchema>;

/** The body of `PUT /sandbox/voice-sessions/settings`. */
export const sessionSettingsSchema = z.strictObject({
  /** Microphone sound after which the simulated recogniser returns a sentence. */
  hear_after_ms: milliseconds,
  /** From metadata to the first ping, and between pings. */
  ping_ms: z.number().int().min(100).max(600_000),
});

export type SessionSettings = z.infer<typeof sessionSettingsSchema>;
