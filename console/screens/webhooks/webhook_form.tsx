import { useState } from "preact/hooks";
import { api, ask, ifMatch, isSandbox } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { createFurtherWebhook, type EventType, setFurtherWebhook, setWebhook } from "../../data/sdk.ts";
import { Checkbox, Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { FilterFields, type Filters } from "./filter_fields.tsx";
import { EVENT_TYPES, type FurtherSettings, type WebhookSettings } from "./webhook_data.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

/** The subject of a form: the company's own webhook, a further one, or a further one that is added. */
type Subject = WebhookSettings | FurtherSettings | "new";

/** Sets the URL and the events. `onSaved` receives the secret of a new webhook, and null of another. */
export function WebhookForm({ of, onClose, onSaved }: {
  of: Subject;
  onClose: () => void;
  onSaved: (secret: string | null) => void;
}) {
  // As it was when it was opened: the page reads it anew meanwhile.
  const [subject] = useState(of);
  const webhook = subject === "new" ? null : subject.webhook;
  const isFurther = subject === "new" || "endpointId" in subject;
  const [name, setName] = useState(subject !== "new" && "endpointId" in subject ? subject.webhook.name : "");
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [isAll, setAll] = useState(!webhook?.event_types);
  const [chosen, setChosen] = useState<EventType[]>(webhook?.event_types ?? []);
  const [filters, setFilters] = useState<Filters>({
    channels: webhook?.channels ?? null,
    sender_ids: webhook?.sender_ids ?? null,
  });
  const names = webhookWords();

  async function save(): Promise<void> {
    const fields = { url: url.trim(), event_types: isAll ? null : chosen, ...filters };
    const secret = await send(subject, fields, name);
    toast(words().common.saved);
    onSaved(secret);
  }

  return (
    <FormDialog
      title={titleOf(subject)}
      action={webhook?.is_active === false ? names.saveAndOn : words().common.save}
      onSave={save}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          {isFurther && <Field label={names.name} value={name} error={errorOf("name")} onChange={setName} />}
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
          <FilterFields
            filters={filters}
            isWrong={errorOf("channels") !== undefined || errorOf("sender_ids") !== undefined}
            onChange={setFilters}
          />
        </>
      )}
    </FormDialog>
  );
}

function titleOf(subject: Subject): string {
  const { set, addTitle, changeTitle, changeFurther } = webhookWords();
  if (subject === "new") return addTitle;
  if ("endpointId" in subject) return changeFurther(subject.webhook.name);
  return subject.webhook ? changeTitle : set;
}

async function send(
  subject: Subject,
  fields: Filters & { url: string; event_types: EventType[] | null },
  name: string,
): Promise<string | null> {
  const path = { company_id: companyId() };
  if (subject === "new") {
    return (await ask(createFurtherWebhook({ client: api(), path, body: { name, ...fields } }))).secret;
  }
  const headers = ifMatch(subject.etag);
  if ("endpointId" in subject) {
    const ids = { ...path, endpoint_id: subject.endpointId };
    await ask(setFurtherWebhook({ client: api(), path: ids, body: { name, ...fields }, headers }));
    return null;
  }
  return (await ask(setWebhook({ client: api(), path, body: fields, headers }))).secret;
}
