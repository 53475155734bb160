import { openToken } from "../../crypto/sender_token.ts";
import { findRecordedCall, type RecordedCall } from "../../db/calls/call_recording.ts";
import { AppError, notSetUp } from "../../errors.ts";
import { FILE_TOO_LARGE } from "../../gateways/fetch_file.ts";
import { fetchRecording, type Recording, RECORDING_MISSING } from "../../gateways/voice/fetch_recording.ts";
import type { Services } from "../../services.ts";
import { fileTooLarge, MAX_FILE_BYTES } from "../app/platform_file.ts";

/**
 * Opens the recording of a call at the platform, with the key that its sender calls with. Throws `not_found`,
 * `payload_too_large` or `service_unavailable`.
 */
export async function openRecording(
  services: Pick<Services, "env" | "sealer" | "sql">,
  ids: { companyId: string; callId: string },
): Promise<Recording> {
  const { env, sql } = services;
  const call = await findRecordedCall(sql, ids);
  if (call === undefined) throw new AppError("not_found", "Call not found");
  if (call.ongoing) {
    throw new AppError("not_found", "The call is going on: its recording comes some seconds later");
  }
  const { conversation_id: conversationId, erased } = call;
  if (conversationId === null || erased) throw noRecording();
  const apiKey = await keyOf(services, ids.companyId, call);
  const recording = await fetchRecording({ apiUrl: env.ELEVENLABS_API_URL }, { conversationId, apiKey }, {
    maxBytes: MAX_FILE_BYTES,
  });
  if (recording === RECORDING_MISSING) throw noRecording();
  if (recording === FILE_TOO_LARGE) throw fileTooLarge();
  return recording;
}

async function keyOf(
  { env, sealer }: Pick<Services, "env" | "sealer">,
  companyId: string,
  call: RecordedCall,
): Promise<string> {
  const opened = await openToken(sealer, { company_id: companyId, ...call }, env.ELEVENLABS_API_KEY);
  if (opened.kind === "opened") return opened.token;
  throw notSetUp("voice", "The sender's key for the voice platform is missing or cannot be read");
}

function noRecording(): AppError {
  return new AppError(
    "not_found",
    "There is no recording of this call: it was not taken, the platform does not have it yet, or it was deleted",
  );
}
