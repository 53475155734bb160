import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { activateCompanyKey, revokeCompanyKey, rotateCompanyKey } from "../../data/sdk.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { KeyFacts } from "./key_facts.tsx";
import { KeyForm } from "./key_form.tsx";
import { OWN_KEY, readKeyText, useCompanyKey } from "./key_data.ts";
import { RotateDialog } from "./rotate_dialog.tsx";
import { keyWords } from "../../i18n/key_words.ts";
import { words } from "../../i18n/words.ts";

/** The access key: what it may do, how much, and when it was last used. */
export function AccessKey() {
  const { data: { key, etag } = {}, problem, reload } = useCompanyKey();
  const [open, setOpen] = useState<"form" | "rotate">();
  const close = () => setOpen(undefined);
  const names = keyWords();
  return (
    <Section title={names.accessKey}>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {key === undefined && !problem && <p class="loading" role="status">{words().common.loading}</p>}
      {key === null && <Empty title={names.noKey}>{names.noKeyHelp}</Empty>}
      {key && (
        <div class="panel endpoint">
          <KeyFacts apiKey={key}>
            <Fact name={names.state}>
              <StatusBadge of="key" status={key.is_active ? "active" : "revoked"} />
            </Fact>
          </KeyFacts>
          <div class="actions">
            {may("operator") && key.is_active && (
              <Button icon="copy" onPress={copyKey}>{names.copyKey}</Button>
            )}
            {may("owner") && (
              <>
                <ButtonLink href={link(["keys", OWN_KEY])}>{names.requestsOf}</ButtonLink>
                <Button onPress={() => setOpen("form")}>{names.change}</Button>
                <Button icon="again" onPress={() => setOpen("rotate")}>{names.rotate}</Button>
                {key.is_active
                  ? <Button kind="danger" icon="stop" onPress={() => revoke(reload)}>{names.revoke}</Button>
                  : (
                    <Button kind="main" icon="play" onPress={() => activate(reload)}>
                      {names.activate}
                    </Button>
                  )}
              </>
            )}
          </div>
        </div>
      )}
      {open === "form" && key && <KeyForm apiKey={key} etag={etag!} onClose={close} onSaved={reload} />}
      {open === "rotate" && (
        <RotateDialog
          title={names.rotateTitle}
          rotate={(body) => ask(rotateCompanyKey({ client: api(), path: { company_id: companyId() }, body }))}
          onClose={close}
          onRotated={reload}
        />
      )}
    </Section>
  );
}

async function copyKey(): Promise<void> {
  const text = await attempt(readKeyText);
  if (text === undefined) return;
  await navigator.clipboard.writeText(text);
  toast(keyWords().keyCopied);
}

async function revoke(onDone: () => void): Promise<void> {
  const { revokeTitle, revokeText, revoke: action, revoked } = keyWords();
  if (!await confirm({ title: revokeTitle, text: revokeText, action, isDanger: true })) return;
  const path = { company_id: companyId() };
  if (await attempt(() => ask(revokeCompanyKey({ client: api(), path })))) {
    toast(revoked, { about: "access key", undo: () => activate(onDone) });
  }
  onDone();
}

async function activate(onDone: () => void): Promise<void> {
  const path = { company_id: companyId() };
  if (await attempt(() => ask(activateCompanyKey({ client: api(), path })))) {
    toast(keyWords().activated, { about: "access key" });
  }
  onDone();
}
