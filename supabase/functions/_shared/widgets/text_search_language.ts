/** Languages whose words Postgres can reduce to their stems, with its names for them. */
const NAMES: Record<string, string> = {
  ar: "arabic",
  ca: "catalan",
  da: "danish",
  de: "german",
  el: "greek",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hi: "hindi",
  hu: "hungarian",
  id: "indonesian",
  it: "italian",
  lt: "lithuanian",
  ne: "nepali",
  nl: "dutch",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sr: "serbian",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
  yi: "yiddish",
};

/** The text search configuration for a language tag; `simple`, which leaves words as they are, for all others. */
export function textSearchLanguage(tag: string | undefined): string {
  return NAMES[tag?.split("-")[0]?.toLowerCase() ?? ""] ?? "simple";
}
