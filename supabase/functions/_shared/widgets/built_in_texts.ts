import { CHAT_TEXTS } from "./chat_texts.ts";
import { VOICE_TEXTS } from "./voice_texts.ts";

/** What a widget of each kind says where its configuration says nothing: language → name → text. English has all. */
export const BUILT_IN_TEXTS = { chat: CHAT_TEXTS, voice: VOICE_TEXTS } as const;

/** The names of all texts of a kind. */
export function textNames(kind: keyof typeof BUILT_IN_TEXTS): string[] {
  return Object.keys(BUILT_IN_TEXTS[kind].en);
}
