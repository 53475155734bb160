import { locale } from "../../i18n/language.ts";

/** Returns a language's name in the viewer's language, with its tag. */
export function languageName(tag: string): string {
  try {
    return `${new Intl.DisplayNames(locale.value, { type: "language" }).of(tag) ?? tag} (${tag})`;
  } catch {
    return tag;
  }
}
