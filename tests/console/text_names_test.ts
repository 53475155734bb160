import assert from "node:assert/strict";
import { TEXT_NAMES_ES } from "../../console/screens/widget/text_names.ts";
import { CHAT_TEXTS } from "../../supabase/functions/_shared/widgets/chat_texts.ts";
import { VOICE_TEXTS } from "../../supabase/functions/_shared/widgets/voice_texts.ts";

Deno.test("TEXT_NAMES_ES names every text of a widget, and no other", () => {
  const texts = new Set([...Object.keys(CHAT_TEXTS.en), ...Object.keys(VOICE_TEXTS.en)]);

  assert.deepEqual(Object.keys(TEXT_NAMES_ES).sort(), [...texts].sort());
});
