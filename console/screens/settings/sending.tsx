import { useState } from "preact/hooks";
import { ask } from "../../data/client.ts";
import { changeSettings, type CompanySettings } from "../../data/sdk.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import type { SectionProps } from "./settings_data.ts";
import { changing, SettingsForm } from "./settings_form.tsx";
import { words } from "../../i18n/words.ts";

/** The fate of messages whose outcome stays unknown, and how soon a number is called again. */
export function SendingSection({ settings, onSaved }: SectionProps) {
  const [onUnknown, setOnUnknown] = useState<CompanySettings["on_unknown"]>(settings.on_unknown);
  const [callGap, setCallGap] = useState(String(settings.call_gap_s));
  const names = words().settings;
  const isChanged = onUnknown !== settings.on_unknown || callGap !== String(settings.call_gap_s);

  return (
    <SettingsForm
      title={names.sending}
      layout="field-row"
      isChanged={isChanged}
      onSave={() => {
        const body = { on_unknown: onUnknown, call_gap_s: Number(callGap) };
        return ask(changeSettings({ ...changing(settings), body }));
      }}
      onSaved={onSaved}
      onDiscard={() => {
        setOnUnknown(settings.on_unknown);
        setCallGap(String(settings.call_gap_s));
      }}
    >
      {(errorOf) => (
        <>
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
        </>
      )}
    </SettingsForm>
  );
}
