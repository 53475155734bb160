import { CHAT_TEXTS } from "./chat_texts.ts";
import { baseOf, findTag } from "./own_text.ts";
import { VOICE_TEXTS } from "./voice_texts.ts";
import type { WidgetKind } from "../db/widgets/widgets.ts";

/** The built-in texts of each kind of widget: language → name → text. English has every name. */
export const BUILT_IN_TEXTS = { chat: CHAT_TEXTS, voice: VOICE_TEXTS } as const;

/** Returns the names of all texts of a kind. */
export function textNames(kind: keyof typeof BUILT_IN_TEXTS): string[] {
  return Object.keys(BUILT_IN_TEXTS[kind].en);
}

type Texts = Record<string, string | undefined>;

export interface ChosenTexts {
  language: string;
  available_languages: string[];
  /** By name; every name of the kind. */
  texts: Record<string, string>;
}

interface WidgetTexts {
  default_language: string;
  texts: Record<string, Texts>;
}

/**
 * Chooses a widget's language for a visitor, and each text by itself. The first source that has the text wins: the
 * company's in the requested language, and in that language without its region; the same two of the widget's default
 * language; then the built-in ones of both, and the English one. So no built-in text replaces one that the company wrote.
 */
export function chooseTexts(
  kind: WidgetKind,
  config: WidgetTexts,
  wanted: string | undefined,
): ChosenTexts {
  const available = availableLanguages(kind, config);
  const language = findTag(available, wanted) ?? findTag(available, baseOf(wanted)) ??
    config.default_language;
  const builtIn = BUILT_IN_TEXTS[kind] as Record<string, Texts>;
  const tags = [language, config.default_language];
  const sources = [
    ...tags.flatMap((tag) => [textsIn(config.texts, tag), textsIn(config.texts, baseOf(tag))]),
    ...tags.map((tag) => textsIn(builtIn, baseOf(tag))),
    builtIn.en!,
  ];
  const texts = textNames(kind).map((name) => [name, sources.find((source) => source?.[name])?.[name] ?? ""]);
  return { language, available_languages: available, texts: Object.fromEntries(texts) };
}

/**
 * Chooses the quick replies of a widget in the language that was chosen for a visitor, or in its default language; each
 * also without its region. Empty where there are none.
 */
export function chooseQuickReplies(
  { default_language, quick_replies }: {
    default_language: string;
    quick_replies: Record<string, { text: string }[]>;
  },
  language: string,
): string[] {
  const tags = [language, baseOf(language), default_language, baseOf(default_language)];
  const chosen = tags.map((tag) => findTag(Object.keys(quick_replies), tag)).find((tag) => tag !== undefined);
  return chosen === undefined ? [] : quick_replies[chosen]!.map(({ text }) => text);
}

function availableLanguages(kind: WidgetKind, config: WidgetTexts): string[] {
  const languages = [
    ...Object.keys(config.texts),
    config.default_language,
    ...Object.keys(BUILT_IN_TEXTS[kind]),
  ];
  return languages.filter((tag, index) => findTag(languages.slice(0, index), tag) === undefined);
}

function textsIn(all: Record<string, Texts>, tag: string | undefined): Texts | undefined {
  const found = findTag(Object.keys(all), tag);
  return found === undefined ? undefined : all[found];
}
