import { may } from "../../data/company.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import type { ChangeDraft, Draft } from "./draft.ts";
import { languageName } from "./language_name.ts";
import { MAX_PROACTIVE, type ProactiveMessage } from "./widget_config.ts";
import { widgetWords } from "../../i18n/widget_words.ts";

interface ProactiveProps {
  draft: Draft;
  change: ChangeDraft;
  errorOf: ErrorOf;
  /** The language that the preview shows. */
  language: string;
}

/** The messages that pages show beside the button by themselves. */
export function ProactiveTab({ draft: { config }, change, errorOf, language }: ProactiveProps) {
  const names = widgetWords();
  const messages = config.proactive ?? [];
  const set = (proactive: ProactiveMessage[]) => change({ config: { ...config, proactive } });
  return (
    <fieldset class="form bare" disabled={!may("operator")}>
      <p>{names.proactiveHelp}</p>
      {messages.length === 0 && <Empty title={names.proactiveNone} />}
      {messages.map((message, index) => {
        const put = (changes: Partial<ProactiveMessage>) =>
          set(messages.with(index, { ...message, ...changes }));
        const at = `config.proactive.${index}`;
        return (
          <fieldset key={index} class="choices field-group">
            <Field
              label={names.proactiveText(languageName(language))}
              value={message.texts[language] ?? ""}
              error={errorOf(`${at}.texts.${language}`) ?? errorOf(`${at}.texts`)}
              onChange={(text) => put({ texts: withText(message.texts, language, text) })}
            />
            <div class="field-row">
              <Field
                label={names.proactivePath}
                value={message.path ?? "/*"}
                help={names.proactivePathHelp}
                error={errorOf(`${at}.path`)}
                onChange={(path) => put({ path })}
              />
              <Field
                label={names.proactiveDelay}
                type="number"
                value={String(message.delay_s ?? 10)}
                error={errorOf(`${at}.delay_s`)}
                onChange={(to) => put({ delay_s: Number(to) })}
              />
            </div>
            <Button kind="quiet" icon="close" onPress={() => set(messages.toSpliced(index, 1))}>
              {names.removeProactive}
            </Button>
          </fieldset>
        );
      })}
      <Button
        icon="plus"
        disabled={messages.length >= MAX_PROACTIVE}
        onPress={() => set([...messages, { texts: {}, path: "/*", delay_s: 10 }])}
      >
        {names.addProactive}
      </Button>
    </fieldset>
  );
}

function withText(texts: Record<string, string>, language: string, text: string): Record<string, string> {
  const { [language]: _, ...others } = texts;
  return text === "" ? others : { ...others, [language]: text };
}
