import type { VoiceApi } from "./voice_api.ts";

/** What the API takes. */
const MOST_CHARACTERS = 500;

/** The agent's `search` tool: looks up `query` in the company's documents and answers what it found, as text. */
export function searchTool(api: Pick<VoiceApi, "search">, sessionToken: string) {
  return async ({ query }: Record<string, unknown>): Promise<string> => {
    const results = await api.search(sessionToken, String(query ?? "").slice(0, MOST_CHARACTERS));
    if (results.length === 0) return "Nothing was found.";
    return results.map(({ title, text, url }) => [title, text, url].filter(Boolean).join("\n")).join("\n\n");
  };
}
