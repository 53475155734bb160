import { FILE_TOO_LARGE, fileOf, type PlatformFile, readShortJson, requestFile } from "../fetch_file.ts";
import { fitsHeader } from "../http_client.ts";
import { authorization, type VoiceConfig, voiceUrl } from "./client.ts";
import { voiceKeyRefused, voiceRefusal, voiceUnavailable } from "./sessions.ts";

/** The recording of a call, on its way. */
export interface Recording extends PlatformFile {
  /** One of `RECORDING_TYPES`. */
  type: string;
}

export const RECORDING_MISSING = "missing";

/** The media types of recordings that are passed on. */
export const RECORDING_TYPES = [
  "audio/mpeg",
  "audio/mp4",
  "audio/ogg",
  "audio/wav",
  "audio/webm",
  "audio/aac",
  "audio/flac",
];

/** Other names of these types that are in use. */
const ALIASES: Readonly<Record<string, string>> = {
  "audio/mp3": "audio/mpeg",
  "audio/x-mpeg": "audio/mpeg",
  "audio/x-m4a": "audio/mp4",
  "audio/vnd.wave": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/x-wav": "audio/wav",
  "audio/x-flac": "audio/flac",
};

const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Fetches the recording of a conversation, as the caller reads it. Returns `RECORDING_MISSING` when the platform has none
 * (yet), and `FILE_TOO_LARGE`.
 *
 * Throws `service_unavailable` when the platform cannot be reached, refuses the key, or sends anything but sound. Source:
 * Agents API, get conversation audio. Media type and the response without a recording are not documented.
 */
export async function fetchRecording(
  config: VoiceConfig,
  { conversationId, apiKey }: { conversationId: string; apiKey: string },
  limits: { maxBytes: number; timeoutMs?: number },
): Promise<Recording | typeof RECORDING_MISSING | typeof FILE_TOO_LARGE> {
  if (!fitsHeader(apiKey)) throw voiceKeyRefused();
  const url = voiceUrl(config, "conversations", conversationId, "audio");
  const { fetch } = config;
  const response = await requestFile(url, authorization(apiKey), { fetch, timeoutMs: limits.timeoutMs });
  if (response === null) throw voiceUnavailable();
  if ([204, 404, 410].includes(response.status)) {
    await response.body?.cancel();
    return RECORDING_MISSING;
  }
  if (response.status !== 200) {
    const refusal = await readShortJson(response, { ...limits, maxBytes: MAX_REFUSAL_BYTES });
    throw voiceRefusal(response, refusal);
  }
  return await soundOf(response, limits);
}

async function soundOf(
  response: Response,
  limits: { maxBytes: number; timeoutMs?: number },
): Promise<Recording | typeof RECORDING_MISSING | typeof FILE_TOO_LARGE> {
  const file = await fileOf(response, limits);
  if (file === FILE_TOO_LARGE) return file;
  if (file.length === 0) return RECORDING_MISSING;
  const type = ALIASES[file.type ?? ""] ?? file.type;
  if (type !== undefined && RECORDING_TYPES.includes(type)) return { ...file, type };
  await file.body.cancel();
  throw voiceUnavailable({ cause: new Error(`The recording has the media type ${file.type}`) });
}
