import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { listManagedTemplates } from "../../data/sdk.ts";
import { messageOf } from "../../data/template_message.ts";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { attempt } from "../../components/dialog/toast.tsx";
import { Select } from "../../components/form/fields.tsx";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { language } from "../../i18n/language.ts";
import { words } from "../../i18n/words.ts";
import { EMPTY_DRAFT, nextName, partsOf, type TemplateDraft } from "./draft.ts";
import { LIBRARY, LIBRARY_LANGUAGES, type LibraryLanguage } from "./library.ts";

/** Good templates to begin from, in three languages. */
export function LibraryDrawer({ wabaId, onUse, onClose }: {
  wabaId: string;
  onUse: (begun: Partial<TemplateDraft>) => void;
  onClose: () => void;
}) {
  const own = LIBRARY_LANGUAGES.find(([code]) => code.startsWith(language.value));
  const [chosen, setChosen] = useState<LibraryLanguage>(own?.[0] ?? "en_US");
  const names = words().newTemplate;

  async function use(begun: Partial<TemplateDraft> & { name: string }): Promise<void> {
    const name = await attempt(() => freeName(wabaId, begun.name, chosen));
    if (name === undefined) return;
    onUse({ ...begun, name, language: chosen });
    onClose();
  }

  return (
    <Drawer title={names.library} onClose={onClose}>
      <div class="library">
        <Select
          label={names.language}
          value={chosen}
          options={LIBRARY_LANGUAGES}
          onChange={setChosen}
        />
        {LIBRARY.map(({ name, texts, ...common }) => {
          const begun = { ...common, name, ...texts[chosen] };
          const draft = { ...EMPTY_DRAFT, ...begun };
          const { title } = texts[chosen];
          const values = Object.fromEntries(
            draft.examples.map((value, index) => [`body_text_${index}`, value]),
          );
          const parts = { components: partsOf(draft), parameter_format: "POSITIONAL" as const };
          return (
            <section key={name}>
              <div class="section-head">
                <h3>{title}</h3>
                <Button onPress={() => use(begun)}>{names.useIt}</Button>
              </div>
              <PhonePreview label={title} message={messageOf(parts, values)} />
            </section>
          );
        })}
      </div>
    </Drawer>
  );
}

/** Returns the name, or the next one that no template of the account has in this language. */
async function freeName(wabaId: string, name: string, inLanguage: string): Promise<string> {
  const path = { company_id: companyId() };
  const query = { name, ...(wabaId && { waba_id: wabaId }), limit: 1000 };
  const { templates } = await ask(listManagedTemplates({ client: api(), path, query }));
  const isTaken = (each: string) =>
    templates.some((known) => known.name === each && known.language === inLanguage);
  let free = name;
  while (isTaken(free)) free = nextName(free);
  return free;
}
