import type { WidgetKind } from "../db/widgets.ts";
import { BUILT_IN_TEXTS, textNames } from "./built_in_texts.ts";

type Texts = Record<string, string | undefined>;

export interface ChosenTexts {
  language: string;
  available_languages: string[];
  /** Every text the widget has a name for. */
  texts: Record<string, string>;
}

interface WidgetTexts {
  default_language: string;
  texts: Record<string, Texts>;
}

/**
 * Chooses the language of a widget for a visitor, and every text by itself: the company's in the very language asked for,
 * the company's in that language without its region, ours in that language; only where the language has neither, the
 * company's in the widget's default language, ours in that one, and ours in English. So a widget speaks all languages
 * that the company or we have texts in.
 */
export function chooseTexts(
  kind: WidgetKind,
  config: WidgetTexts,
  wanted: string | undefined,
): ChosenTexts {
  const available = availableLanguages(kind, config);
  const language = find(available, wanted) ?? find(available, baseOf(wanted)) ?? config.default_language;
  const builtIn = BUILT_IN_TEXTS[kind] as Record<string, Texts>;
  const sources = [
    ...[language, config.default_language].flatMap((tag) => [
      textsIn(config.texts, tag),
      textsIn(config.texts, baseOf(tag)),
      textsIn(builtIn, baseOf(tag)),
    ]),
    builtIn.en!,
  ];
  const texts = textNames(kind).map((name) => [name, sources.find((source) => source?.[name])?.[name] ?? ""]);
  return { language, available_languages: available, texts: Object.fromEntries(texts) };
}

function availableLanguages(kind: WidgetKind, config: WidgetTexts): string[] {
  const languages = [
    ...Object.keys(config.texts),
    config.default_language,
    ...Object.keys(BUILT_IN_TEXTS[kind]),
  ];
  return languages.filter((tag, index) => find(languages.slice(0, index), tag) === undefined);
}

function textsIn(all: Record<string, Texts>, tag: string | undefined): Texts | undefined {
  const found = find(Object.keys(all), tag);
  return found === undefined ? undefined : all[found];
}

/** Language tags are the same in any case. */
function find(tags: string[], wanted: string | undefined): string | undefined {
  return tags.find((tag) => tag.toLowerCase() === wanted?.toLowerCase());
}

function baseOf(tag: string | undefined): string | undefined {
  return tag?.split("-")[0];
}
