import assert from "node:assert/strict";
import type { Failure } from "../../console/i18n/en.ts";
import { type Language, LANGUAGES } from "../../console/i18n/language.ts";
import { TEXT_NAMES } from "../../console/i18n/widget_text_names.ts";
import {
  adviceFor,
  FAILURE_ADVICE,
  NO_CODE,
} from "../../supabase/functions/_shared/campaigns/resends/failure_advice.ts";
import { ROW_ADVICE } from "../../supabase/functions/_shared/campaigns/uploads/row_advice.ts";
import { ERROR_CODES } from "../../supabase/functions/_shared/errors.ts";
import { CHAT_TEXTS } from "../../supabase/functions/_shared/widgets/chat_texts.ts";
import { VOICE_TEXTS } from "../../supabase/functions/_shared/widgets/voice_texts.ts";

const FAILURES = [...FAILURE_ADVICE.keys(), NO_CODE];
const TEXTS = new Set([...Object.keys(CHAT_TEXTS.en), ...Object.keys(VOICE_TEXTS.en)]);

/** The tables that English has none of: the API sends these words in English. */
const TRANSLATED = (Object.keys(LANGUAGES) as Language[]).filter((code) => code !== "en");

for (const code of TRANSLATED) {
  const { failures, rowAdvice } = (await LANGUAGES[code].load()).words;

  Deno.test(`${code} has words for every failure code of the API, and for no other`, () => {
    assert.deepEqual(Object.keys(failures).sort(), FAILURES.toSorted());
    for (const [code, texts] of Object.entries(failures)) {
      for (const text of texts) assert.match(text, /^\p{Lu}.*[^.]$/u, code);
    }
  });

  Deno.test(`codes mean the same in ${code}, and ask for the same, exactly where they do in the API`, () => {
    const texts = (index: keyof Failure) => groups((failure) => String(failures[failure]![index]));

    assert.deepEqual(texts(0), groups((failure) => adviceFor(failure).meaning));
    assert.deepEqual(texts(1), groups((failure) => adviceFor(failure).whatToDo));
  });

  Deno.test(`${code} has words for every row code of the API, and for no other`, () => {
    assert.deepEqual(Object.keys(rowAdvice).sort(), Object.keys(ROW_ADVICE).sort());
  });

  Deno.test(`${code} names every text of a widget, and no other`, () => {
    assert.deepEqual(Object.keys(TEXT_NAMES[code]).sort(), [...TEXTS].sort());
  });
}

for (const [code, { load }] of Object.entries(LANGUAGES)) {
  const { problems } = (await load()).words;

  Deno.test(`${code} says what to do about every error of the API`, () => {
    assert.deepEqual(ERROR_CODES.filter((error) => !Object.hasOwn(problems, error)), []);
  });
}

/** Pairs of codes for which the API has the same words, by one of its two texts. */
function groups(textOf: (code: string) => string): string[][] {
  return [...Map.groupBy(FAILURES, textOf).values()].map((codes) => codes.sort()).sort();
}
