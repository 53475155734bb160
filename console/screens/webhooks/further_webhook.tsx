import { useState } from "preact/hooks";
import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { readAllAnew } from "../../data/entries.ts";
import { navigate } from "../../data/route.ts";
import { deleteFurtherWebhook } from "../../data/sdk.ts";
import { confirm } from "../../components/dialog/confirm.tsx";
import { SecretDialog } from "../../components/dialog/secret_dialog.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { pathOf } from "./target.ts";
import { type FurtherSettings, useFurtherWebhook } from "./webhook_data.ts";
import { WebhookForm } from "./webhook_form.tsx";
import { WebhookView } from "./webhook_view.tsx";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

/** One webhook beside the company's own. */
export default function FurtherWebhook({ params }: { params: Record<string, string> }) {
  const endpointId = params.endpoint_id!;
  const { data: settings, problem, reload } = useFurtherWebhook(endpointId);
  const [isChanging, setChanging] = useState(false);
  const [secret, setSecret] = useState<string>();
  const names = webhookWords();

  if (settings === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  return (
    <>
      <WebhookView
        webhook={settings.webhook}
        of={endpointId}
        title={settings.webhook.name}
        above={{ title: names.title, href: link(pathOf(undefined)) }}
        problem={problem}
        onRead={readAllAnew}
        onChange={() => setChanging(true)}
        onSecret={setSecret}
        onRemove={() => remove(settings)}
      />
      {isChanging && (
        <WebhookForm
          of={settings}
          onClose={() => setChanging(false)}
          onSaved={() => {
            setChanging(false);
            readAllAnew();
          }}
        />
      )}
      {secret && (
        <SecretDialog title={names.secretTitle} secret={secret} onClose={() => setSecret(undefined)}>
          {names.secretText}
        </SecretDialog>
      )}
    </>
  );
}

async function remove(
  { endpointId, etag, webhook: { name, waiting } }: FurtherSettings,
): Promise<void> {
  const { removeTitle, removeText, remove: action, removed } = webhookWords();
  if (!await confirm({ title: removeTitle(name), text: removeText(waiting), action, isDanger: true })) return;
  const path = { company_id: companyId(), endpoint_id: endpointId };
  const request = { client: api(), path, headers: ifMatch(etag) };
  if (await attempt(() => ask(deleteFurtherWebhook(request))) === undefined) return;
  toast(removed);
  readAllAnew();
  navigate(link(pathOf(undefined)));
}
