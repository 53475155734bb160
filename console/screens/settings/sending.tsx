import { useState } from "preact/hooks";
import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId, may } from "../../data/company.ts";
import { changeSettings, type CompanySettings } from "../../data/sdk.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { Section } from "../../components/page_head.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import type { SectionProps } from "./settings_data.ts";
import { words } from "../../i18n/words.ts";

/** The fate of messages whose outcome stays unknown, and how soon a number is called again. */
export function SendingSection({ settings, onSaved }: SectionProps) {
  const [onUnknown, setOnUnknown] = useState<CompanySettings["on_unknown"]>(settings.on_unknown);
  const [callGap, setCallGap] = useState(String(settings.call_gap_s));
  const names = words().settings;
  const isChanged = onUnknown !== settings.on_unknown || callGap !== String(settings.call_gap_s);

  async function save(): Promise<void> {
    const body = { on_unknown: onUnknown, call_gap_s: Number(callGap) };
    const [path, headers] = [{ company_id: companyId() }, ifMatch(settings.etag)];
    await ask(changeSettings({ client: api(), path, body, headers }));
    toast(words().common.saved);
    onSaved();
  }

  return (
    <Section title={names.sending}>
      <div class="panel">
        <Form
          action={words().common.save}
          onSave={save}
          onDiscard={() => {
            setOnUnknown(settings.on_unknown);
            setCallGap(String(settings.call_gap_s));
          }}
          disabled={!isChanged}
          isReadOnly={!may("operator")}
        >
          {(errorOf) => (
            <fieldset class="bare field-row" disabled={!may("operator")}>
              <Select
                label={names.onUnknown}
                help={names.onUnknownHelp[onUnknown]}
                value={onUnknown}
                options={Object.entries(names.onUnknowns) as [typeof onUnknown, string][]}
                onChange={setOnUnknown}
              />
              <Field
                label={names.callGap}
                help={names.callGapHelp}
                type="number"
                value={callGap}
                error={errorOf("call_gap_s")}
                onChange={setCallGap}
              />
            </fieldset>
          )}
        </Form>
      </div>
    </Section>
  );
}
