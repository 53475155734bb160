import { useState } from "preact/hooks";
import { isTest, may } from "../../data/company.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { SecretDialog } from "../../components/dialog/secret_dialog.tsx";
import { FurtherWebhooks } from "./further_webhooks.tsx";
import { useWebhook } from "./webhook_data.ts";
import { WebhookForm } from "./webhook_form.tsx";
import { WebhookView } from "./webhook_view.tsx";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

/** Where the company's events go, and how each delivery went. */
export default function Webhooks() {
  const { data: settings, problem, reload } = useWebhook();
  const [isChanging, setChanging] = useState(false);
  const [secret, setSecret] = useState<string>();
  const names = webhookWords();

  if (settings === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const { webhook } = settings;
  return (
    <>
      {webhook
        ? (
          <WebhookView
            webhook={webhook}
            problem={problem}
            onRead={reload}
            onChange={() => setChanging(true)}
            onSecret={setSecret}
          >
            {!isTest() && <FurtherWebhooks onSecret={setSecret} />}
          </WebhookView>
        )
        : (
          <>
            <PageHead title={names.title} />
            {problem && <ErrorNotice problem={problem} onRetry={reload} />}
            <Empty
              title={names.none}
              action={may("owner") && (
                <Button kind="main" icon="plus" onPress={() => setChanging(true)}>{names.set}</Button>
              )}
            >
              {names.noneHelp}
            </Empty>
            {!isTest() && <FurtherWebhooks onSecret={setSecret} />}
          </>
        )}
      {isChanging && (
        <WebhookForm
          of={settings}
          onClose={() => setChanging(false)}
          onSaved={(given) => {
            setChanging(false);
            setSecret(given ?? undefined);
            reload();
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
