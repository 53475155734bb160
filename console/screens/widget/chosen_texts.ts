import { chooseOwnText } from "../../../supabase/functions/_shared/widgets/own_text.ts";
import { defaultLanguage, type Texts, type WidgetConfig } from "./widget_config.ts";

/** The text that visitors of one language read, and where it is from. */
export interface ChosenText {
  text: string;
  /**
   * `own`: the company's in this language; `built_in`: ours in it; `other`: missing, so it is in another language; `none`:
   * empty, so it is not shown.
   */
  source: "own" | "built_in" | "other" | "none";
}

/**
 * Returns what visitors of a language read, by name: as the service chooses it. Each text is chosen by itself, and the
 * first that has it wins: the company's in the language, or in the default language; then the built-in ones.
 */
export function chooseTexts(
  builtIn: Texts,
  config: WidgetConfig,
  language: string,
): Record<string, ChosenText> {
  const own = config.texts ?? {};
  const other = defaultLanguage(config);
  const elsewhere = isSame(language, other) ? "built_in" : "other";
  const sources = [
    { texts: textsIn(own, language), source: "own" },
    { texts: textsIn(own, baseOf(language)), source: "own" },
    { texts: textsIn(own, other), source: "other" },
    { texts: textsIn(own, baseOf(other)), source: "other" },
    { texts: textsIn(builtIn, baseOf(language)), source: "built_in" },
    { texts: textsIn(builtIn, baseOf(other)), source: elsewhere },
    { texts: builtIn.en, source: elsewhere },
  ] as const;
  const choose = (name: string): ChosenText => {
    const found = sources.find(({ texts }) => texts?.[name]);
    return found ? { text: found.texts![name]!, source: found.source } : { text: "", source: "none" };
  };
  return Object.fromEntries(Object.keys(builtIn.en ?? {}).map((name) => [name, choose(name)]));
}

/** Returns the first greeting, as visitors of a language read it; empty without any. */
export function chooseGreeting(config: WidgetConfig, language: string): string {
  const languages = [language, defaultLanguage(config)];
  return (config.proactive ?? []).map(({ texts }) => chooseOwnText(texts, languages)).find(Boolean) ?? "";
}

/** Returns the languages to choose from: the company's own first. */
export function languagesOf(builtIn: Texts, config: WidgetConfig): string[] {
  const all = [defaultLanguage(config), ...Object.keys(config.texts ?? {}), ...Object.keys(builtIn)];
  return all.filter((tag, index) => all.findIndex((each) => isSame(each, tag)) === index);
}

/** Returns the texts of a configuration with one of them changed; an empty one follows the built-in ones again. */
export function withText(texts: Texts, { language, name }: { language: string; name: string }, text: string) {
  const key = Object.keys(texts).find((each) => isSame(each, language)) ?? language;
  const { [name]: _, ...others } = texts[key] ?? {};
  const changed = { ...texts, [key]: text === "" ? others : { ...others, [name]: text } };
  return Object.fromEntries(Object.entries(changed).filter(([, each]) => Object.keys(each).length > 0));
}

/** Returns the company's own text, or an empty one. */
export function ownText(texts: Texts, language: string, name: string): string {
  return textsIn(texts, language)?.[name] ?? "";
}

function textsIn(all: Texts, tag: string): Record<string, string> | undefined {
  const key = Object.keys(all).find((each) => isSame(each, tag));
  return key === undefined ? undefined : all[key];
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function baseOf(tag: string): string {
  return tag.split("-")[0]!;
}
