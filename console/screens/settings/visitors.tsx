import { useState } from "preact/hooks";
import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId, may } from "../../data/company.ts";
import { changeSettings, type VisitorCaps } from "../../data/sdk.ts";
import { CapFields } from "../../components/form/cap_fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { Section } from "../../components/page_head.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import type { SectionProps } from "./settings_data.ts";
import { words } from "../../i18n/words.ts";

/** The daily caps on visitors of all widgets together. */
export function VisitorsSection({ settings: { visitor_caps, etag }, onSaved }: SectionProps) {
  const [caps, setCaps] = useState<VisitorCaps>(visitor_caps);
  const names = words().settings;
  const isChanged = JSON.stringify(caps) !== JSON.stringify(visitor_caps);

  async function save(): Promise<void> {
    const body = { visitor_caps: caps };
    const [path, headers] = [{ company_id: companyId() }, ifMatch(etag)];
    await ask(changeSettings({ client: api(), path, body, headers }));
    toast(words().common.saved);
    onSaved();
  }

  return (
    <Section title={names.visitors}>
      <div class="panel">
        <Form
          action={words().common.save}
          onSave={save}
          onDiscard={() => setCaps(visitor_caps)}
          disabled={!isChanged}
          isReadOnly={!may("operator")}
        >
          {(errorOf) => (
            <fieldset class="bare" disabled={!may("operator")}>
              <CapFields
                label={names.visitorsHelp}
                caps={caps}
                errorOf={(name) => errorOf(`visitor_caps.${name}`)}
                onChange={(changes) => setCaps({ ...caps, ...changes })}
              />
            </fieldset>
          )}
        </Form>
      </div>
    </Section>
  );
}
