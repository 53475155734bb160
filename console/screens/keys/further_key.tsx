import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { type FurtherKey, revokeFurtherKey, rotateFurtherKey } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { readAllAnew } from "../../data/entries.ts";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact } from "../../components/facts.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { SenderNumbers } from "../senders/sender_numbers.tsx";
import { FurtherForm } from "./further_form.tsx";
import { FurtherBadge } from "./further_keys.tsx";
import { useFurtherKey } from "./key_data.ts";
import { KeyFacts } from "./key_facts.tsx";
import { KeyRequests } from "./key_requests.tsx";
import { RotateDialog } from "./rotate_dialog.tsx";
import { keyWords } from "../../i18n/key_words.ts";
import { words } from "../../i18n/words.ts";

/** One key beside the access key: what it may do, and what was done with it. */
export function FurtherKeyView({ keyId }: { keyId: string }) {
  const { data: seen, problem, reload } = useFurtherKey(keyId);
  const [open, setOpen] = useState<"form" | "rotate">();
  const names = keyWords();
  const above = { title: names.title, href: link(["keys"]) };
  const close = () => setOpen(undefined);
  if (seen === undefined) {
    return (
      <>
        <PageHead title={names.key} above={above} />
        {problem
          ? <ErrorNotice problem={problem} onRetry={reload} />
          : <p class="loading" role="status">{words().common.loading}</p>}
      </>
    );
  }
  const { key } = seen;
  const path = { company_id: companyId(), key_id: keyId };
  return (
    <>
      <PageHead title={key.name} above={above} badge={<FurtherBadge apiKey={key} />} />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <div class="panel endpoint">
        <KeyFacts apiKey={key}>
          <Fact name={names.senders}>
            {key.sender_ids === null ? names.allSenders : <SenderNumbers ids={key.sender_ids} />}
          </Fact>
          <Fact name={names.ends}>{key.expires_at ? <Time at={key.expires_at} /> : names.never}</Fact>
        </KeyFacts>
        {key.is_active && (
          <div class="actions">
            <Button onPress={() => setOpen("form")}>{names.change}</Button>
            <Button icon="again" onPress={() => setOpen("rotate")}>{names.rotate}</Button>
            <Button kind="danger" icon="stop" onPress={() => revoke(key)}>{names.revoke}</Button>
          </div>
        )}
      </div>
      <KeyRequests keyId={keyId} />
      {open === "form" && (
        <FurtherForm
          seen={seen}
          onClose={close}
          onSaved={() => {
            close();
            readAllAnew();
          }}
        />
      )}
      {open === "rotate" && (
        <RotateDialog
          title={names.rotateFurther(key.name)}
          rotate={(body) => ask(rotateFurtherKey({ client: api(), path, body }))}
          onClose={close}
          onRotated={readAllAnew}
        />
      )}
    </>
  );
}

async function revoke({ key_id, name }: FurtherKey): Promise<void> {
  const { revokeFurther, revokeFurtherText: text, revoke: action, revoked } = keyWords();
  if (!await confirm({ title: revokeFurther(name), text, action, isDanger: true })) return;
  const path = { company_id: companyId(), key_id };
  if (await attempt(() => ask(revokeFurtherKey({ client: api(), path })))) toast(revoked);
  readAllAnew();
}
