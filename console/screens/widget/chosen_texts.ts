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
 * first that has it wins: the company's in the language, the built-in one, then the same in the default language.
 */
export function chooseTexts(
  builtIn: Texts,
  config: WidgetConfig,
  language: string,
): Record<string, ChosenText> {
  const own = config.texts ?? {};
  const of = (tag: string) =>
    [
      { texts: textsIn(own, tag), isOwn: true },
      { texts: textsIn(own, baseOf(tag)), isOwn: true },
      { texts: textsIn(builtIn, baseOf(tag)), isOwn: false },
    ] as const;
  const here = of(language);
  const elsewhere = [...of(defaultLanguage(config)), { texts: builtIn.en, isOwn: false }];
  const choose = (name: string): ChosenText => {
    const found = here.find(({ texts }) => texts?.[name]);
    if (found) return { text: found.texts![name]!, source: found.isOwn ? "own" : "built_in" };
    const text = elsewhere.find(({ texts }) => texts?.[name])?.texts?.[name] ?? "";
    if (text === "") return { text, source: "none" };
    return { text, source: isSame(language, defaultLanguage(config)) ? "built_in" : "other" };
  };
  return Object.fromEntries(Object.keys(builtIn.en ?? {}).map((name) => [name, choose(name)]));
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
