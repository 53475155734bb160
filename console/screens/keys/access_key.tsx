import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { activateCompanyKey, type CompanyKey, revokeCompanyKey, rotateCompanyKey } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { SecretDialog } from "../../components/dialog/secret_dialog.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { KeyForm } from "./key_form.tsx";
import { readKeyText, useCompanyKey } from "./key_data.ts";
import { words } from "../../i18n/words.ts";

/** The access key: what it may do, how much, and when it was last used. */
export function AccessKey() {
  const { data: { key, etag } = {}, problem, reload } = useCompanyKey();
  const [secret, setSecret] = useState<string>();
  const [isChanging, setChanging] = useState(false);
  const names = words().keys;
  return (
    <Section title={names.accessKey}>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {key === undefined && !problem && <p class="loading" role="status">{words().common.loading}</p>}
      {key === null && <Empty title={names.noKey}>{names.noKeyHelp}</Empty>}
      {key && (
        <div class="panel endpoint">
          <KeyFacts apiKey={key} />
          <div class="actions">
            {may("operator") && key.is_active && (
              <Button icon="copy" onPress={copyKey}>{names.copyKey}</Button>
            )}
            {may("owner") && (
              <>
                <Button onPress={() => setChanging(true)}>{names.change}</Button>
                <Button icon="again" onPress={() => rotate(setSecret, reload)}>{names.rotate}</Button>
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
      {isChanging && key && (
        <KeyForm
          apiKey={key}
          etag={etag!}
          onClose={() => setChanging(false)}
          onSaved={reload}
        />
      )}
      {secret && (
        <SecretDialog title={names.newKey} secret={secret} onClose={() => setSecret(undefined)}>
          {names.newKeyText}
        </SecretDialog>
      )}
    </Section>
  );
}

function KeyFacts({ apiKey: key }: { apiKey: CompanyKey }) {
  const names = words().keys;
  return (
    <Facts>
      <Fact name={names.state}>
        <StatusBadge of="key" status={key.is_active ? "active" : "revoked"} />
      </Fact>
      <Fact name={names.permissions}>
        <span class="chips">{key.permissions.map((each) => <code key={each}>{each}</code>)}</span>
      </Fact>
      <Fact name={names.rateLimit}>{names.perMinute(key.rate_limit)}</Fact>
      <Fact name={names.quota}>{names.perDay(key.daily_quota)}</Fact>
      <Fact name={names.lastUsed}>
        {key.last_used_at ? <Time at={key.last_used_at} /> : names.never}
      </Fact>
      <Fact name={names.created}>
        <Time at={key.created_at} /> · <a href={link(["audit"], { subject: key.key_id })}>{names.history}</a>
      </Fact>
    </Facts>
  );
}

async function copyKey(): Promise<void> {
  const text = await attempt(readKeyText);
  if (text === undefined) return;
  await navigator.clipboard.writeText(text);
  toast(words().keys.keyCopied);
}

async function rotate(onSecret: (secret: string) => void, onDone: () => void): Promise<void> {
  const { rotateTitle, rotateText, rotate: action } = words().keys;
  if (!await confirm({ title: rotateTitle, text: rotateText, action, isDanger: true })) return;
  const path = { company_id: companyId() };
  const rotated = await attempt(() => ask(rotateCompanyKey({ client: api(), path })));
  if (rotated) onSecret(rotated.key);
  onDone();
}

async function revoke(onDone: () => void): Promise<void> {
  const { revokeTitle, revokeText, revoke: action, revoked } = words().keys;
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
    toast(words().keys.activated, { about: "access key" });
  }
  onDone();
}
