import { useState } from "preact/hooks";
import { may } from "../../data/company.ts";
import { changeQuery } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { Field, Select } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { chooseTexts, type ChosenText, languagesOf, ownText, withText } from "./chosen_texts.ts";
import type { ChangeDraft, Draft } from "./draft.ts";
import { languageName } from "./language_name.ts";
import type { Widget } from "../../data/sdk.ts";
import { QuickRepliesField } from "./quick_replies_field.tsx";
import { defaultLanguage, type QuickReply, type Texts, type WidgetConfig } from "./widget_config.ts";
import { widgetTextName } from "../../i18n/widget_text_names.ts";
import { words } from "../../i18n/words.ts";

/** The texts that nearly every company writes itself. */
const MAIN = ["title", "subtitle", "welcome", "placeholder", "open_label", "launcher_text"];

interface TextsProps {
  kind: Widget["kind"];
  draft: Draft;
  change: ChangeDraft;
  errorOf: ErrorOf;
  builtIn: Texts;
  language: string;
  chosen: Record<string, ChosenText>;
}

/** The texts of one language, with what is missing in it. */
export function TextsTab({ kind, draft, change, errorOf, builtIn, language, chosen }: TextsProps) {
  const { config } = draft;
  const texts = config.texts ?? {};
  const names = words().widget;
  const missing = Object.keys(chosen).filter((name) => chosen[name]!.source === "other");
  const main = MAIN.filter((name) => name in chosen);
  const others = Object.keys(chosen).filter((name) => !main.includes(name));
  const field = (name: string) => (
    <Field
      key={`${language} ${name}`}
      label={widgetTextName(name)}
      value={ownText(texts, language, name)}
      placeholder={chosen[name]!.text}
      help={names.sources[chosen[name]!.source]}
      error={errorOf(`config.texts.${language}.${name}`)}
      onChange={(text) => change({ config: { ...config, texts: withText(texts, { language, name }, text) } })}
    />
  );
  return (
    <div class="form">
      <div class="field-row">
        <Select
          label={names.language}
          value={language}
          options={languagesOf(builtIn, config).map((tag) =>
            [tag, `${languageName(tag)} ${missingIn(builtIn, draft, tag)}`] as const
          )}
          onChange={(tag) => changeQuery({ language: tag })}
        />
        <Select
          label={names.defaultLanguage}
          value={defaultLanguage(config)}
          disabled={!may("operator")}
          options={languagesOf(builtIn, config).map((tag) => [tag, languageName(tag)] as const)}
          onChange={(default_language) => change({ config: { ...config, default_language } })}
        />
        {may("operator") && (
          <AddLanguage
            onAdd={(tag) => {
              change({ config: { ...config, texts: { ...texts, [tag]: texts[tag] ?? {} } } });
              changeQuery({ language: tag });
            }}
          />
        )}
      </div>
      {missing.length > 0 && (
        <p class="notice warn" role="status">
          {names.missing(missing.length, languageName(language), languageName(defaultLanguage(config)))}{" "}
          {missing.map(widgetTextName).join(", ")}
        </p>
      )}
      <fieldset class="form bare" disabled={!may("operator")}>
        {main.map(field)}
        {kind === "chat" && (
          <QuickRepliesField
            key={language}
            replies={config.quick_replies?.[language] ?? []}
            error={errorOf(`config.quick_replies.${language}`)}
            onChange={(replies) =>
              change({
                config: { ...config, quick_replies: withReplies(config.quick_replies, language, replies) },
              })}
          />
        )}
      </fieldset>
      <details open={missing.some((name) => !main.includes(name))}>
        <summary>{names.otherTexts(others.length)}</summary>
        <fieldset class="form bare below" disabled={!may("operator")}>{others.map(field)}</fieldset>
      </details>
    </div>
  );
}

/** A language without quick replies is left out: visitors get those of the default language. */
function withReplies(
  all: WidgetConfig["quick_replies"],
  language: string,
  replies: QuickReply[],
): NonNullable<WidgetConfig["quick_replies"]> {
  const { [language]: _, ...others } = all ?? {};
  return replies.length === 0 ? others : { ...others, [language]: replies };
}

function missingIn(builtIn: Texts, { config }: Draft, tag: string): string {
  const missing = Object.values(chooseTexts(builtIn, config, tag)).filter(({ source }) => source === "other");
  return missing.length === 0 ? "" : words().widget.missingShort(missing.length);
}

const TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

function AddLanguage({ onAdd }: { onAdd: (tag: string) => void }) {
  const [tag, setTag] = useState("");
  const names = words().widget;
  const isGood = TAG.test(tag);
  return (
    <div class="with-button">
      <Field
        label={names.addLanguage}
        value={tag}
        placeholder="pt-BR"
        error={tag !== "" && tag.length > 1 && !isGood ? names.badLanguage : undefined}
        onChange={(to) => setTag(to.trim())}
      />
      <Button
        icon="plus"
        label={names.addLanguage}
        disabled={!isGood}
        onPress={() => {
          onAdd(tag);
          setTag("");
        }}
      />
    </div>
  );
}
