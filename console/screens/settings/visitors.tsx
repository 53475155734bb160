import { useState } from "preact/hooks";
import { ask } from "../../data/client.ts";
import { changeSettings, type VisitorCaps } from "../../data/sdk.ts";
import { CapFields } from "../../components/form/cap_fields.tsx";
import type { SectionProps } from "./settings_data.ts";
import { changing, SettingsForm } from "./settings_form.tsx";
import { words } from "../../i18n/words.ts";

/** The daily caps on visitors of all widgets together. */
export function VisitorsSection({ settings: { visitor_caps, etag }, onSaved }: SectionProps) {
  const [caps, setCaps] = useState<VisitorCaps>(visitor_caps);
  const names = words().settings;
  const isChanged = JSON.stringify(caps) !== JSON.stringify(visitor_caps);

  return (
    <SettingsForm
      title={names.visitors}
      isChanged={isChanged}
      onSave={() => ask(changeSettings({ ...changing({ etag }), body: { visitor_caps: caps } }))}
      onSaved={onSaved}
      onDiscard={() => setCaps(visitor_caps)}
    >
      {(errorOf) => (
        <CapFields
          label={names.visitorsHelp}
          caps={caps}
          errorOf={(name) => errorOf(`visitor_caps.${name}`)}
          onChange={(changes) => setCaps({ ...caps, ...changes })}
        />
      )}
    </SettingsForm>
  );
}
