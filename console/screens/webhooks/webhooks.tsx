import { useState } from "preact/hooks";
import { may } from "../../data/company.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { SecretDialog } from "../../components/dialog/secret_dialog.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Endpoint } from "./endpoint.tsx";
import { TestButton } from "./test_webhook.tsx";
import { useDeliveries, useFollowUp, useWebhook } from "./webhook_data.ts";
import { WebhookForm } from "./webhook_form.tsx";
import { route } from "../../data/route.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

/** Where the company's events go, and how each delivery went. */
export default function Webhooks() {
  const { data: settings, problem, reload } = useWebhook();
  const { status, type, since } = route.value.query;
  const list = useDeliveries({ status, type, since });
  const [isChanging, setChanging] = useState(false);
  const [secret, setSecret] = useState<string>();
  const names = webhookWords();
  const readAll = () => {
    reload();
    list.reload();
  };
  const follow = useFollowUp(readAll);

  if (settings === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const { webhook } = settings;
  return (
    <>
      <PageHead
        title={names.title}
        actions={may("operator") && webhook && (
          <>
            <TestButton isOn={webhook.is_active} onDone={readAll} />
            {may("owner") && <Button kind="main" onPress={() => setChanging(true)}>{names.change}</Button>}
          </>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {webhook
        ? (
          <>
            <Endpoint webhook={webhook} onDone={readAll} onSecret={setSecret} />
            <Deliveries list={list} isOn={webhook.is_active} onReplayed={follow} />
          </>
        )
        : (
          <Empty
            title={names.none}
            action={may("owner") && (
              <Button kind="main" icon="plus" onPress={() => setChanging(true)}>{names.set}</Button>
            )}
          >
            {names.noneHelp}
          </Empty>
        )}
      {isChanging && (
        <WebhookForm
          settings={settings}
          onClose={() => setChanging(false)}
          onSaved={(given) => {
            setChanging(false);
            setSecret(given ?? undefined);
            readAll();
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
