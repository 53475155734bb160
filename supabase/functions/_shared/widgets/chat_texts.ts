import { ar } from "./texts/chat/ar.ts";
import { de } from "./texts/chat/de.ts";
import { en } from "./texts/chat/en.ts";
import { es } from "./texts/chat/es.ts";
import { fr } from "./texts/chat/fr.ts";
import { hi } from "./texts/chat/hi.ts";
import { it } from "./texts/chat/it.ts";
import { ja } from "./texts/chat/ja.ts";
import { nl } from "./texts/chat/nl.ts";
import { pl } from "./texts/chat/pl.ts";
import { pt } from "./texts/chat/pt.ts";
import { tr } from "./texts/chat/tr.ts";
import { zh } from "./texts/chat/zh.ts";

/** The built-in texts of a chat widget, by language and name. */
export const CHAT_TEXTS = { en, es, pt, fr, de, it, nl, pl, tr, ar, hi, ja, zh };
