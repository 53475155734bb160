import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { testWebhook, type WebhookTest } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { attempt } from "../../components/dialog/toast.tsx";
import { milliseconds } from "../../i18n/format.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";

/** Sends an event now, and shows how the endpoint responded. */
export function TestButton({ isOn, onDone }: { isOn: boolean; onDone: () => void }) {
  const [result, setResult] = useState<WebhookTest>();

  async function test(): Promise<void> {
    const path = { company_id: companyId() };
    setResult(await attempt(() => ask(testWebhook({ client: api(), path }))));
    onDone();
  }

  return (
    <>
      <Button icon="play" disabled={!isOn} onPress={test}>{webhookWords().test}</Button>
      {result && <TestResult result={result} onClose={() => setResult(undefined)} />}
    </>
  );
}

function TestResult({ result, onClose }: { result: WebhookTest; onClose: () => void }) {
  const names = webhookWords();
  const { ok, response_status, response_body, error, duration_ms, event_id } = result;
  return (
    <Dialog title={ok ? names.testOk : names.testBad} onClose={onClose}>
      <Facts>
        <Fact name={names.state}>
          <StatusBadge status={ok ? "succeeded" : "failed"} />
        </Fact>
        <Fact name={names.code}>{response_status}</Fact>
        <Fact name={names.error}>{error}</Fact>
        <Fact name={names.took}>{milliseconds(duration_ms)}</Fact>
        <Fact name={names.event}>
          <a href={link(["webhooks"], { delivery: event_id })} onClick={onClose}>{event_id}</a>
        </Fact>
      </Facts>
      <ResponseBody body={response_body} />
    </Dialog>
  );
}

/** The first kilobyte of what the endpoint wrote. */
export function ResponseBody({ body }: { body: string | null }) {
  if (body === null) return null;
  const { responseBody, emptyBody } = webhookWords();
  if (body === "") return <p class="help">{emptyBody}</p>;
  return <pre class="raw" tabIndex={0} role="region" aria-label={responseBody}>{body}</pre>;
}
