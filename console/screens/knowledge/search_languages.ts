import { language as viewers } from "../../i18n/language.ts";

/** The languages of which the search knows the forms of words. */
const TAGS = "ar ca da de el en es eu fi fr ga hi hu id it lt ne nl no pt ro ru sr sv ta tr yi".split(" ");

/** Returns them by tag, with their names in the viewer's language. */
export function searchLanguages(): [tag: string, name: string][] {
  const names = new Intl.DisplayNames(viewers.value, { type: "language" });
  return TAGS.map((tag) => [tag, names.of(tag) ?? tag]);
}

/** Returns the name of a language as the API names it, in the viewer's language. */
export function languageName(name: string): string {
  const tag = tagOf(name);
  return searchLanguages().find(([each]) => each === tag)?.[1] ?? name;
}

/** Returns the tag of a language as the API names it (`english`), or an empty text for `simple`. */
export function tagOf(name: string | undefined): string {
  const names = new Intl.DisplayNames("en", { type: "language" });
  return TAGS.find((tag) => names.of(tag)?.toLowerCase() === name) ?? "";
}
