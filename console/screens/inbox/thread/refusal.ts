import type { Problem } from "../../../data/problem.ts";
import { meaningOf } from "../../../i18n/codes.ts";
import { language } from "../../../i18n/language.ts";
import { words } from "../../../i18n/words.ts";

/** Says why a message was refused, in the member's language; the API's own words only where there are none. */
export function refusalOf({ code, message }: Problem): string {
  const meaning = meaningOf(code) ?? (language.value === "en" ? message : undefined);
  const sentences = [meaning, words().problems[code]].filter((text) => text !== undefined && text !== "");
  return sentences.map((text) => `${text!.replace(/\.$/, "")}.`).join(" ") || message;
}
