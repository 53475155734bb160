import { useState } from "preact/hooks";
import { askWithEtag } from "../../data/client.ts";
import { type FrequencyCap, setFrequencyCaps } from "../../data/sdk.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { RuleSection } from "./rule_section.tsx";
import type { SectionProps } from "./settings_data.ts";
import { changing } from "./settings_form.tsx";
import { words } from "../../i18n/words.ts";

/** How many marketing messages a person may get. */
export function FrequencyCapsSection({ settings: { frequency_caps, etag }, onSaved }: SectionProps) {
  const names = words().settings;
  return (
    <RuleSection
      title={names.frequencyCaps}
      none={names.noCaps}
      addLabel={names.addCap}
      removed={names.capRemoved}
      rules={frequency_caps}
      etag={etag}
      describe={({ channel, max, days }) => names.capText(max, days, names.channels[channel])}
      replaces={(cap, other) => cap.channel === other.channel && cap.days === other.days}
      store={(caps, seen) =>
        askWithEtag(setFrequencyCaps, { ...changing({ etag: seen }), body: { frequency_caps: caps } })}
      form={(props) => <CapForm {...props} />}
      onSaved={onSaved}
    />
  );
}

function CapForm({ onClose, onSave }: { onClose: () => void; onSave: (cap: FrequencyCap) => Promise<void> }) {
  const [channel, setChannel] = useState<FrequencyCap["channel"]>("any");
  const [max, setMax] = useState("3");
  const [days, setDays] = useState("7");
  const names = words().settings;
  const save = () => onSave({ channel, max: Number(max), days: Number(days) });
  return (
    <FormDialog title={names.addCap} action={words().common.save} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <Select
            label={names.channel}
            value={channel}
            options={Object.entries(names.channels) as [FrequencyCap["channel"], string][]}
            onChange={setChannel}
          />
          <div class="field-row">
            <Field
              label={names.atMost}
              type="number"
              value={max}
              error={errorOf("frequency_caps")}
              onChange={setMax}
            />
            <Field label={names.inDays} type="number" value={days} onChange={setDays} />
          </div>
        </>
      )}
    </FormDialog>
  );
}
