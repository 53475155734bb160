import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { useQuery } from "../../data/query.ts";
import { getKeyRequest, type KeyRequestDetails } from "../../data/sdk.ts";
import { Copy } from "../../components/copy.tsx";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { milliseconds } from "../../i18n/format.ts";
import { keyWords } from "../../i18n/key_words.ts";
import { words } from "../../i18n/words.ts";

/** One request of a key: how it ended, and what was said where that is kept. */
export function RequestDrawer({ keyId, requestId, onClose }: {
  keyId: string;
  requestId: string;
  onClose: () => void;
}) {
  const path = { company_id: companyId(), key_id: keyId, request_id: requestId };
  const { data, problem, reload } = useQuery(
    `request ${requestId}`,
    (signal) => ask(getKeyRequest({ client: api(), path, signal })),
  );
  return (
    <Drawer title={keyWords().request} onClose={onClose}>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {data
        ? <Details request={data} />
        : !problem && <p class="loading" role="status">{words().common.loading}</p>}
    </Drawer>
  );
}

function Details({ request }: { request: KeyRequestDetails }) {
  const names = keyWords();
  const { request_id, method, path, status, code, duration_ms, at, request_body, response_body } = request;
  return (
    <>
      <Facts>
        <Fact name={names.request}>
          <code>{method} {path}</code>
        </Fact>
        <Fact name={names.response}>
          <code>{code === null ? status : `${status} ${code}`}</code>
        </Fact>
        <Fact name={names.took}>{milliseconds(duration_ms)}</Fact>
        <Fact name={names.at}>
          <Time at={at} style="full" />
        </Fact>
        <Fact name={names.requestId}>
          <span class="with-copy">
            <code>{request_id}</code>
            <Copy text={request_id} />
          </span>
        </Fact>
      </Facts>
      <Body title={names.requestBody} text={request_body} />
      <Body title={names.responseBody} text={response_body} />
    </>
  );
}

/** The beginning of a body; it may be cut, so it is shown as the text that it is. */
function Body({ title, text }: { title: string; text: string | null }) {
  return (
    <Section title={title}>
      {text === null
        ? <p class="help">{keyWords().notKept}</p>
        : <pre class="raw" tabIndex={0} role="region" aria-label={title}>{text}</pre>}
    </Section>
  );
}
