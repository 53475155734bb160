import { language } from "../language.ts";
import { OWN_ES, ROWS_ES } from "./own_es.ts";
import type { Explained } from "./advice_es.ts";
import { VOICE_ES } from "./voice_es.ts";
import { WHATSAPP_ES } from "./whatsapp_es.ts";

/** A failure with its meaning and what to do, as the API says them. */
export interface ExplainedFailure {
  code: string;
  meaning: string;
  what_to_do: string;
}

/** The Spanish words for each code. */
export const FAILURES_ES: Readonly<Record<string, Explained>> = { ...WHATSAPP_ES, ...VOICE_ES, ...OWN_ES };

/** Returns a failure in the person's language; the API's own words for a code that the console does not know. */
export function explained<Failure extends ExplainedFailure>(failure: Failure): Failure {
  const known = wordsFor(failure.code);
  return known ? { ...failure, meaning: known[0], what_to_do: known[1] } : failure;
}

/** Returns what a code means in the person's language; undefined where the API's words are all there is. */
export function meaningOf(code: string | null): string | undefined {
  return code === null ? undefined : wordsFor(code)?.[0];
}

/** Returns what to do about the rows of a file with one code; the API's own words where nothing better is known. */
export function rowAdvice(code: string, whatToDo: string): string {
  return language.value === "es" && Object.hasOwn(ROWS_ES, code) ? ROWS_ES[code]! : whatToDo;
}

function wordsFor(code: string): Explained | undefined {
  return language.value === "es" && Object.hasOwn(FAILURES_ES, code) ? FAILURES_ES[code] : undefined;
}
