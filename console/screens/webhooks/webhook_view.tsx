import type { ComponentChildren } from "preact";
import { may } from "../../data/company.ts";
import type { Problem } from "../../data/problem.ts";
import { route } from "../../data/route.ts";
import type { Webhook } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Endpoint } from "./endpoint.tsx";
import { History } from "./history.tsx";
import type { Target } from "./target.ts";
import { TestButton } from "./test_webhook.tsx";
import { useDeliveries, useFollowUp, useHistory } from "./webhook_data.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";

/** A webhook: where events go, how that went, and each of them. */
export function WebhookView(
  { webhook, of, title, above, problem, onRead, onChange, onSecret, onRemove, children }: {
    webhook: Webhook;
    /** The company's own if it is left out. */
    of?: Target;
    /** Of a further one. */
    title?: string;
    above?: { title: string; href: string };
    problem: Problem | undefined;
    /** Reads it anew. */
    onRead: () => void;
    onChange: () => void;
    onSecret: (secret: string) => void;
    onRemove?: () => unknown;
    /** Above the deliveries. */
    children?: ComponentChildren;
  },
) {
  const { status, type, since } = route.value.query;
  const list = useDeliveries({ status, type, since, endpoint_id: of });
  const history = useHistory(of);
  const names = webhookWords();
  const readAll = () => {
    onRead();
    list.reload();
    history.reload();
  };
  const follow = useFollowUp(readAll);
  return (
    <>
      <PageHead
        title={title ?? names.title}
        above={above}
        actions={may("operator") && (
          <>
            <TestButton of={of} isOn={webhook.is_active} onDone={readAll} />
            {may("owner") && <Button kind="main" onPress={onChange}>{names.change}</Button>}
          </>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={onRead} />}
      <Endpoint {...{ webhook, of, onSecret, onRemove }} onDone={readAll} />
      <History hours={history.data?.hours ?? []} />
      {children}
      <Deliveries of={of} list={list} isOn={webhook.is_active} onReplayed={follow} />
    </>
  );
}
