import { z } from "zod";
import { platformIdSchema, platformWords } from "../platform_text.ts";
import { type CallReport, conversationSchema, reportOf } from "./conversations.ts";
import { echoSchema, possibleTime, referenceIn } from "./fields.ts";

/** An event of the platform that reports on a call. */
export interface CallEvent {
  /** With the conversation's id, the key of the event: repeated events have the same. */
  type: "post_call_transcription" | "call_initiation_failure" | "answering_machine_detection";
  report: CallReport;
}

const envelopeSchema = z.looseObject({
  type: z.string(),
  event_timestamp: z.number().optional().catch(undefined),
  data: z.looseObject({}),
});

const word = z.union([z.string(), z.number().transform(String)]).nullish().catch(undefined);

/** Twilio's status callback as JSON, or what became of the INVITE on a SIP trunk. */
const providerBodySchema = z.looseObject({
  CallStatus: word,
  SipResponseCode: word,
  AnsweredBy: word,
  sip_status_code: word,
  sip_status: word,
  error_reason: word,
});

const attemptSchema = echoSchema.extend({
  conversation_id: platformIdSchema,
  failure_reason: z.string().nullish().catch(undefined),
  metadata: z.looseObject({ body: providerBodySchema.optional().catch(undefined) }).nullish().catch(
    undefined,
  ),
});

type Attempt = z.infer<typeof attemptSchema>;

/**
 * Reads the parsed body of a webhook request. Returns null for an event that does not report on a call, or that is not
 * understood. Never throws. `now` replaces a missing or impossible time. A failure to start a call comes without our
 * reference: only the conversation's id leads back to it. Source: Agents API, post-call webhooks.
 */
export function parseWebhook(body: unknown, now: Date): CallEvent | null {
  const envelope = envelopeSchema.safeParse(body).data;
  if (envelope === undefined) return null;
  const at = possibleTime(envelope.event_timestamp ?? 0, now);
  switch (envelope.type) {
    case "post_call_transcription": {
      const conversation = conversationSchema.safeParse(envelope.data).data;
      return conversation ? { type: envelope.type, report: reportOf(conversation, at) } : null;
    }
    case "call_initiation_failure": {
      const attempt = attemptSchema.safeParse(envelope.data).data;
      return attempt ? { type: envelope.type, report: failureReport(attempt, at) } : null;
    }
    case "answering_machine_detection": {
      const attempt = attemptSchema.safeParse(envelope.data).data;
      if (!attempt || !isMachine(attempt)) return null;
      return { type: envelope.type, report: report(attempt, at, "voicemail", "A machine took the call") };
    }
    default:
      return null;
  }
}

const FAILURES: Record<string, [outcome: CallReport["outcome"], words: string]> = {
  busy: ["busy", "The line was busy"],
  "no-answer": ["no_answer", "The recipient did not take the call"],
};

function failureReport(attempt: Attempt, at: Date): CallReport {
  const named = attempt.failure_reason ?? "";
  const [outcome, words] = Object.hasOwn(FAILURES, named)
    ? FAILURES[named]!
    : ["failed", "The call could not be made"] as const;
  const details = detailsOf(attempt);
  return report(attempt, at, outcome, details === "" ? words : `${words}: ${details}`);
}

function detailsOf({ metadata }: Attempt): string {
  const { error_reason, sip_status, sip_status_code, CallStatus, SipResponseCode } = metadata?.body ?? {};
  const status = [sip_status_code ?? SipResponseCode, sip_status ?? CallStatus].filter(Boolean).join(" ");
  return platformWords([error_reason, status].filter(Boolean).join(", "));
}

/** The event's form is not documented; Twilio's detection says `machine_start`, `machine_end_beep`, `fax`, `human`. */
function isMachine({ metadata, ...data }: Attempt): boolean {
  const top = providerBodySchema.safeParse(data).data;
  return /^(machine|fax)/.test(metadata?.body?.AnsweredBy ?? top?.AnsweredBy ?? "");
}

function report(attempt: Attempt, at: Date, outcome: CallReport["outcome"], reason: string): CallReport {
  return {
    conversationId: attempt.conversation_id,
    reference: referenceIn(attempt),
    outcome,
    endedAt: at.toISOString(),
    durationS: null,
    summary: null,
    transcript: null,
    reason,
  };
}
