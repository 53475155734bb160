import { en } from "./en.ts";
import { es } from "./es.ts";
import { defineWords } from "./language.ts";

/** The words that every screen shows, in the person's language. */
export const words = defineWords(en, es);
