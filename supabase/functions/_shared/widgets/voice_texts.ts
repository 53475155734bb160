import { ar } from "./texts/voice/ar.ts";
import { de } from "./texts/voice/de.ts";
import { en } from "./texts/voice/en.ts";
import { es } from "./texts/voice/es.ts";
import { fr } from "./texts/voice/fr.ts";
import { hi } from "./texts/voice/hi.ts";
import { it } from "./texts/voice/it.ts";
import { ja } from "./texts/voice/ja.ts";
import { nl } from "./texts/voice/nl.ts";
import { pl } from "./texts/voice/pl.ts";
import { pt } from "./texts/voice/pt.ts";
import { tr } from "./texts/voice/tr.ts";
import { zh } from "./texts/voice/zh.ts";

/** The built-in texts of a voice widget, by language and name. */
export const VOICE_TEXTS = { en, es, pt, fr, de, it, nl, pl, tr, ar, hi, ja, zh };
