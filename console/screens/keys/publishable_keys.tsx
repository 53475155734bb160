import { api, ask } from "../../data/client.ts";
import { companyId, may } from "../../data/company.ts";
import {
  activatePublishableKey,
  createPublishableKey,
  type PublishableKey,
  revokePublishableKey,
} from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Copy } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { usePublishableKeys } from "./key_data.ts";
import { keyWords } from "../../i18n/key_words.ts";
import { words } from "../../i18n/words.ts";

/** The keys for web pages, which open the company's widgets and nothing else. */
export function PublishableKeys() {
  const list = usePublishableKeys();
  const names = keyWords();
  const create = may("operator") && (
    <Button icon="plus" onPress={() => createKey(list.reload)}>{names.create}</Button>
  );
  return (
    <Section title={names.publishable} actions={create}>
      <p class="help">{names.publishableHelp}</p>
      <div class="below">
        <DataTable
          label={names.publishable}
          list={list}
          columns={columns(list.reload)}
          empty={<Empty title={names.noPublishable}>{names.noPublishableHelp}</Empty>}
        />
      </div>
    </Section>
  );
}

function columns(onDone: () => void): Column<PublishableKey>[] {
  const names = keyWords();
  return [
    {
      name: "key",
      title: names.key,
      cell: ({ key }) => (
        <span class="with-copy">
          <Copy text={key} label={names.copyNamed(key.slice(0, 8))} />
          <code>{key}</code>
        </span>
      ),
    },
    {
      name: "state",
      title: names.state,
      width: "112px",
      from: "medium",
      cell: ({ is_active }) => <StatusBadge of="key" status={is_active ? "active" : "revoked"} />,
    },
    timeColumn("created", names.created, ({ created_at }) => created_at),
    ...(may("operator")
      ? [{
        name: "do",
        title: words().common.action,
        width: "128px",
        align: "end" as const,
        cell: (key: PublishableKey) => <Switch apiKey={key} onDone={onDone} />,
      }]
      : []),
  ];
}

function Switch({ apiKey: { key_id, is_active }, onDone }: { apiKey: PublishableKey; onDone: () => void }) {
  const names = keyWords();
  return is_active
    ? <Button kind="quiet" onPress={() => revoke(key_id, onDone)}>{names.revoke}</Button>
    : <Button kind="quiet" onPress={() => activate(key_id, onDone)}>{names.activate}</Button>;
}

async function createKey(onDone: () => void): Promise<void> {
  const path = { company_id: companyId() };
  if (await attempt(() => ask(createPublishableKey({ client: api(), path })))) {
    toast(keyWords().publishableMade);
  }
  onDone();
}

async function revoke(key_id: string, onDone: () => void): Promise<void> {
  const { revokePublishableTitle: title, revokePublishableText: text, revoke: action, revoked } = keyWords();
  if (!await confirm({ title, text, action, isDanger: true })) return;
  const path = { company_id: companyId(), key_id };
  if (await attempt(() => ask(revokePublishableKey({ client: api(), path })))) {
    toast(revoked, { about: key_id, undo: () => activate(key_id, onDone) });
  }
  onDone();
}

async function activate(key_id: string, onDone: () => void): Promise<void> {
  const path = { company_id: companyId(), key_id };
  if (await attempt(() => ask(activatePublishableKey({ client: api(), path })))) {
    toast(keyWords().activated, { about: key_id });
  }
  onDone();
}
