import { useState } from "preact/hooks";
import { may } from "../../data/company.ts";
import { useDraft } from "../../data/draft.ts";
import { route } from "../../data/route.ts";
import { Form } from "../../components/form/form.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { chooseGreeting, chooseTexts, languagesOf } from "./chosen_texts.ts";
import { type Draft, draftOf, isSameDraft } from "./draft.ts";
import { EmbedTab } from "./embed_tab.tsx";
import { LimitsTab } from "./limits_tab.tsx";
import { LookTab } from "./look_tab.tsx";
import { PeopleTab } from "./people_tab.tsx";
import { Preview } from "./preview.tsx";
import { TextsTab } from "./texts_tab.tsx";
import { ProactiveTab } from "./proactive_tab.tsx";
import { saveWidget, type ShownWidget } from "./widget_data.ts";
import type { Texts } from "./widget_config.ts";
import { chatPeopleWords } from "../../i18n/chat_people_words.ts";
import { widgetWords } from "../../i18n/widget_words.ts";
import { words } from "../../i18n/words.ts";

/** The fields of a widget, beside how it will look. */
export function Editor({ widget, builtIn, onSaved }: {
  widget: ShownWidget;
  builtIn: Texts;
  onSaved: () => void;
}) {
  const stored = draftOf(widget);
  const [draft, setDraft] = useState<Draft>(stored);
  const change = (changes: Partial<Draft>) => setDraft((known) => ({ ...known, ...changes }));
  const isChanged = !isSameDraft(draft, stored);
  const restored = useDraft("widget", widget.widget_id, { value: draft, stored, restore: setDraft });
  const languages = languagesOf(builtIn, draft.config);
  const { language: wanted, tab } = route.value.query;
  const language = wanted && languages.includes(wanted) ? wanted : languages[0]!;
  const chosen = chooseTexts(builtIn, draft.config, language);
  const names = words().widget;

  async function save(): Promise<void> {
    setDraft(draftOf(await saveWidget(widget, draft)));
    toast(words().common.saved);
    onSaved();
  }

  return (
    <div class="widget-editor">
      <Form
        action={words().common.save}
        onSave={save}
        disabled={!isChanged}
        isReadOnly={!may("operator") || (tab === "embed" && !isChanged)}
        onDiscard={() => setDraft(stored)}
        restored={restored}
      >
        {(errorOf) => (
          <Tabs
            label={names.parts}
            tabs={[
              {
                name: "look",
                title: names.look,
                content: () => <LookTab kind={widget.kind} {...{ draft, change, errorOf }} />,
              },
              {
                name: "texts",
                title: names.texts,
                content: () => (
                  <TextsTab kind={widget.kind} {...{ draft, change, errorOf, builtIn, language, chosen }} />
                ),
              },
              ...(widget.kind === "chat"
                ? [{
                  name: "people",
                  title: chatPeopleWords().tab,
                  content: () => <PeopleTab {...{ draft, change, errorOf }} />,
                }]
                : []),
              {
                name: "proactive",
                title: widgetWords().proactive,
                content: () => <ProactiveTab {...{ draft, change, errorOf, language }} />,
              },
              {
                name: "limits",
                title: names.limits,
                content: () => <LimitsTab {...{ widget, draft, change, errorOf }} />,
              },
              { name: "embed", title: names.embed, content: () => <EmbedTab widget={widget} /> },
            ]}
          />
        )}
      </Form>
      <Preview
        {...{ widget, language, languages, chosen }}
        config={draft.config}
        greeting={tab === "proactive" ? chooseGreeting(draft.config, language) : ""}
      />
    </div>
  );
}
