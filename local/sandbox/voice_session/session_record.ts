import { type Feedback, feedbackView } from "../voice/conversations/feedback.ts";

/** One turn of a session's transcript, in the platform's terms. */
export interface SessionTurn {
  role: "user" | "agent";
  message: string;
  time_in_call_secs: number;
  interrupted: boolean;
}

/** A session. Times are unix milliseconds. */
export interface SessionRecord {
  id: string;
  agentId: string;
  agentName: string;
  apiKey: string;
  startedAt: number;
  endedAt: number | null;
  failed: boolean;
  terminationReason: string | null;
  textOnly: boolean;
  userId: string | null;
  language: string;
  authorization: "signed_url" | "livekit_token";
  dynamicVariables: Record<string, unknown>;
  /** The texts of contextual updates. */
  context: string[];
  transcript: SessionTurn[];
  feedback: Feedback;
}

/** The session in the shape of `GET /v1/convai/conversations/{id}`. */
export function sessionView(record: SessionRecord): Record<string, unknown> {
  return {
    agent_id: record.agentId,
    agent_name: record.agentName,
    conversation_id: record.id,
    status: sessionStatus(record),
    user_id: record.userId,
    has_audio: !record.textOnly,
    has_user_audio: !record.textOnly,
    has_response_audio: !record.textOnly,
    has_auxiliary_audio: false,
    transcript: record.transcript.map((turn) => ({
      ...turn,
      tool_calls: [],
      tool_results: [],
      feedback: null,
    })),
    metadata: {
      start_time_unix_secs: Math.floor(record.startedAt / 1000),
      accepted_time_unix_secs: Math.floor(record.startedAt / 1000),
      call_duration_secs: Math.round(((record.endedAt ?? Date.now()) - record.startedAt) / 1000),
      cost: null,
      cost_fiat: null,
      termination_reason: record.terminationReason ?? "",
      error: record.failed ? { code: 1006, reason: record.terminationReason } : null,
      main_language: record.language,
      text_only: record.textOnly,
      authorization_method: record.authorization,
      conversation_initiation_source: "js_sdk",
      feedback: feedbackView(record.feedback),
      phone_call: null,
      charging: {},
    },
    analysis: record.endedAt === null ? null : {
      call_successful: record.failed ? "failure" : "success",
      transcript_summary: `${record.transcript.length} messages.`,
      evaluation_criteria_results: {},
      data_collection_results: {},
    },
    conversation_initiation_client_data: { dynamic_variables: record.dynamicVariables },
    sandbox: { context: record.context },
  };
}

function sessionStatus({ endedAt, failed }: SessionRecord): string {
  if (endedAt === null) return "in-progress";
  return failed ? "failed" : "done";
}
