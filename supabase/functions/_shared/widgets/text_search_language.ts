/** The text search configurations of Postgres, by language. */
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

/** Returns the text search configuration for a language tag; `simple`, without stemming, for unknown ones. */
export function textSearchLanguage(tag: string | undefined): string {
  return NAMES[tag?.split("-")[0]?.toLowerCase() ?? ""] ?? "simple";
}
