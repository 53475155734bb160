import { useState } from "preact/hooks";
import { link } from "../../data/company.ts";
import type { WebhookTest } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { milliseconds } from "../../i18n/format.ts";
import { pathOf, sendTest, type Target } from "./target.ts";
import { EVENT_TYPES, TEST_EVENT } from "./webhook_data.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";

const TESTS = [TEST_EVENT, ...EVENT_TYPES] as const;

/** Sends an event of the type that is chosen, and shows how the endpoint responded. */
export function TestButton({ of, isOn, onDone }: { of: Target; isOn: boolean; onDone: () => void }) {
  const [isChoosing, setChoosing] = useState(false);
  const [result, setResult] = useState<WebhookTest>();

  return (
    <>
      <Button icon="play" disabled={!isOn} onPress={() => setChoosing(true)}>{webhookWords().test}</Button>
      {isChoosing && (
        <TestForm
          of={of}
          onClose={() => setChoosing(false)}
          onTested={(tested) => {
            setChoosing(false);
            setResult(tested);
            onDone();
          }}
        />
      )}
      {result && <TestResult of={of} result={result} onClose={() => setResult(undefined)} />}
    </>
  );
}

function TestForm({ of, onClose, onTested }: {
  of: Target;
  onClose: () => void;
  onTested: (result: WebhookTest) => void;
}) {
  const [type, setType] = useState<typeof TESTS[number]>(TEST_EVENT);
  const names = webhookWords();
  return (
    <FormDialog
      title={names.test}
      action={names.send}
      onSave={async () => onTested(await sendTest(of, { type }))}
      onClose={onClose}
    >
      {(errorOf) => (
        <Select
          label={names.event}
          help={names.testHelp}
          error={errorOf("type")}
          value={type}
          options={TESTS.map((each) => [each, each] as const)}
          onChange={setType}
        />
      )}
    </FormDialog>
  );
}

function TestResult({ of, result, onClose }: { of: Target; result: WebhookTest; onClose: () => void }) {
  const names = webhookWords();
  const { ok, request_headers, response_status, response_body, error, duration_ms, event_id } = result;
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
          <a href={link(pathOf(of), { delivery: event_id })} onClick={onClose}>{event_id}</a>
        </Fact>
      </Facts>
      <RequestHeaders headers={request_headers} />
      <ResponseBody body={response_body} />
    </Dialog>
  );
}

/** The headers that we sent, behind a line that opens them. */
export function RequestHeaders({ headers }: { headers: Record<string, string> | null }) {
  if (headers === null) return null;
  const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join("\n");
  const { requestHeaders } = webhookWords();
  return (
    <details>
      <summary>{requestHeaders}</summary>
      <pre class="raw" tabIndex={0} role="region" aria-label={requestHeaders}>{text}</pre>
    </details>
  );
}

/** The first kilobyte of what the endpoint wrote. */
export function ResponseBody({ body }: { body: string | null }) {
  if (body === null) return null;
  const { responseBody, emptyBody } = webhookWords();
  if (body === "") return <p class="help">{emptyBody}</p>;
  return <pre class="raw" tabIndex={0} role="region" aria-label={responseBody}>{body}</pre>;
}
