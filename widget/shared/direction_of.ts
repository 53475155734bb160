/** Scripts that run from right to left, by the languages written in them. */
const RIGHT_TO_LEFT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"]);

/** Which way a language is written. */
export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(language.toLowerCase().split("-")[0]!) ? "rtl" : "ltr";
}
