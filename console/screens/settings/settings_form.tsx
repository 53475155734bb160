import type { ComponentChildren } from "preact";
import { api, ifMatch } from "../../data/client.ts";
import { companyId, may, type Role } from "../../data/company.ts";
import type { Restored } from "../../data/draft.ts";
import { toast } from "../../components/dialog/toast.tsx";
import { type ErrorOf, Form } from "../../components/form/form.tsx";
import { Section } from "../../components/page_head.tsx";
import type { Settings } from "./settings_data.ts";
import { words } from "../../i18n/words.ts";

interface SettingsFormProps {
  title: string;
  /** The classes of the fields' box. */
  layout?: string;
  /** The least role that may change them. */
  role?: Role;
  isChanged: boolean;
  onSave: () => Promise<unknown>;
  /** Reads the settings anew. */
  onSaved: () => void;
  onDiscard: () => void;
  restored?: Restored;
  children: (errorOf: ErrorOf) => ComponentChildren;
}

/** A section of the settings whose fields are saved together. */
export function SettingsForm(
  { title, layout = "", role = "operator", isChanged, onSave, onSaved, children, ...form }: SettingsFormProps,
) {
  async function save(): Promise<void> {
    await onSave();
    toast(words().common.saved);
    onSaved();
  }

  return (
    <Section title={title}>
      <div class="panel">
        <Form
          {...form}
          action={words().common.save}
          onSave={save}
          disabled={!isChanged}
          isReadOnly={!may(role)}
        >
          {(errorOf) => (
            <fieldset class={`bare ${layout}`} disabled={!may(role)}>{children(errorOf)}</fieldset>
          )}
        </Form>
      </div>
    </Section>
  );
}

/** Returns what a change takes besides its body: it is refused where the settings have changed since they were read. */
export function changing({ etag }: Pick<Settings, "etag">) {
  return { client: api(), path: { company_id: companyId() }, headers: ifMatch(etag) };
}
