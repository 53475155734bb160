import { useState } from "preact/hooks";
import { askWithEtag, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type FrequencyCap, setFrequencyCaps } from "../../data/sdk.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { RuleList } from "./rule_list.tsx";
import type { SectionProps } from "./settings_data.ts";
import { words } from "../../i18n/words.ts";

/** How many marketing messages a person may get. */
export function FrequencyCapsSection({ settings: { frequency_caps: caps, etag }, onSaved }: SectionProps) {
  const [isAdding, setAdding] = useState(false);
  const names = words().settings;

  /** Returns the ETag of the settings since then. */
  async function set(wanted: FrequencyCap[], seen = etag): Promise<string> {
    const path = { company_id: companyId() };
    const body = { frequency_caps: wanted };
    const saved = await askWithEtag(setFrequencyCaps, { path, body, headers: ifMatch(seen) });
    onSaved();
    return saved.etag;
  }

  async function remove(cap: FrequencyCap): Promise<void> {
    const before = caps ?? [];
    const since = await attempt(() => set(before.filter((each) => each !== cap)));
    if (since) toast(names.capRemoved, { about: "caps", undo: () => attempt(() => set(before, since)) });
  }

  return (
    <>
      <RuleList
        title={names.frequencyCaps}
        none={names.noCaps}
        rules={caps}
        describe={({ channel, max, days }) => names.capText(max, days, names.channels[channel])}
        onRemove={remove}
        addLabel={names.addCap}
        onAdd={() => setAdding(true)}
      />
      {isAdding && (
        <CapForm
          onClose={() => setAdding(false)}
          onSave={async (cap) => {
            const others = (caps ?? []).filter(({ channel, days }) =>
              channel !== cap.channel || days !== cap.days
            );
            await set([...others, cap]);
            toast(words().common.saved);
            setAdding(false);
          }}
        />
      )}
    </>
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
