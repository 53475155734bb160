import { useState } from "preact/hooks";
import { api, ask, ifMatch, isSandbox } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type EventType, setWebhook } from "../../data/sdk.ts";
import { Checkbox, Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { EVENT_TYPES, type WebhookSettings } from "./webhook_data.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

/** Sets the URL and the events. `onSaved` receives the secret the first time, and null after it. */
export function WebhookForm({ settings, onClose, onSaved }: {
  settings: WebhookSettings;
  onClose: () => void;
  onSaved: (secret: string | null) => void;
}) {
  // As they were when it was opened: the page reads them anew meanwhile.
  const [{ webhook, etag }] = useState(settings);
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [isAll, setAll] = useState(!webhook?.event_types);
  const [chosen, setChosen] = useState<EventType[]>(webhook?.event_types ?? []);
  const names = webhookWords();

  async function save(): Promise<void> {
    const body = { url: url.trim(), event_types: isAll ? null : chosen };
    const [path, headers] = [{ company_id: companyId() }, ifMatch(etag)];
    const { secret } = await ask(setWebhook({ client: api(), path, body, headers }));
    toast(words().common.saved);
    onSaved(secret);
  }

  return (
    <FormDialog
      title={webhook ? names.changeTitle : names.set}
      action={webhook?.is_active === false ? names.saveAndOn : words().common.save}
      onSave={save}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <Field
            label={names.url}
            type="url"
            value={url}
            placeholder="https://example.com/events"
            help={isSandbox ? names.urlHelpLocal : names.urlHelp}
            error={errorOf("url")}
            onChange={setUrl}
          />
          <fieldset class="choices">
            <legend>{names.events}</legend>
            <Checkbox label={names.allEvents} help={names.allEventsHelp} value={isAll} onChange={setAll} />
          </fieldset>
          {!isAll && (
            <fieldset class="choices columns">
              <legend>{names.onlyThese}</legend>
              {EVENT_TYPES.map((type) => (
                <Checkbox
                  key={type}
                  label={type}
                  value={chosen.includes(type)}
                  onChange={(is) =>
                    setChosen(EVENT_TYPES.filter((each) => each === type ? is : chosen.includes(each)))}
                />
              ))}
              {errorOf("event_types") && <p class="error">{names.chooseOne}</p>}
            </fieldset>
          )}
        </>
      )}
    </FormDialog>
  );
}
