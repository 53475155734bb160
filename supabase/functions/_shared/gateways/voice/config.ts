/** Where the voice platform is. A stand-in differs in `apiUrl` only. */
export interface VoiceConfig {
  /** Without a path, `https://api.elevenlabs.io`. */
  apiUrl: string;
  fetch?: typeof fetch;
}

/** The URL of a path of the platform's agents API, such as `conversations`, with its segments encoded. */
export function voiceUrl(config: VoiceConfig, ...segments: string[]): string {
  const path = segments.map(encodeURIComponent).join("/");
  return `${config.apiUrl.replace(/\/+$/, "")}/v1/convai/${path}`;
}

/** How the platform knows who is asking. */
export function authorization(apiKey: string): Record<string, string> {
  return { "xi-api-key": apiKey };
}
