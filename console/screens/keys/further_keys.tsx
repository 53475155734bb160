import { useState } from "preact/hooks";
import { link } from "../../data/company.ts";
import type { FurtherKey } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Section } from "../../components/page_head.tsx";
import { SecretDialog } from "../../components/dialog/secret_dialog.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { FurtherForm } from "./further_form.tsx";
import { useFurtherKeys } from "./key_data.ts";
import { keyWords } from "../../i18n/key_words.ts";

/** The keys beside the access key. Owners alone may see them. */
export function FurtherKeys() {
  const list = useFurtherKeys();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const names = keyWords();
  return (
    <Section
      title={names.further}
      actions={<Button icon="plus" onPress={() => setAdding(true)}>{names.add}</Button>}
    >
      <p class="help">{names.furtherHelp}</p>
      <div class="below">
        <DataTable
          label={names.further}
          list={list}
          columns={columns()}
          hrefOf={({ key_id }) => link(["keys", key_id])}
          empty={<Empty title={names.noFurther}>{names.noFurtherHelp}</Empty>}
        />
      </div>
      {isAdding && (
        <FurtherForm
          onClose={() => setAdding(false)}
          onSaved={(text) => {
            setAdding(false);
            setSecret(text);
            list.reload();
          }}
        />
      )}
      {secret && (
        <SecretDialog title={names.added} secret={secret} onClose={() => setSecret(undefined)}>
          {names.addedText}
        </SecretDialog>
      )}
    </Section>
  );
}

/** The state of a further key: one past its end is refused as well. */
export function FurtherBadge({ apiKey: { is_active, expires_at } }: { apiKey: FurtherKey }) {
  return is_active && expires_at !== null && Date.parse(expires_at) <= Date.now()
    ? <StatusBadge of="key" status="revoked" label={keyWords().expired} />
    : <StatusBadge of="key" status={is_active ? "active" : "revoked"} />;
}

function columns(): Column<FurtherKey>[] {
  const names = keyWords();
  return [
    { name: "name", title: names.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
    { name: "state", title: names.state, width: "112px", cell: (key) => <FurtherBadge apiKey={key} /> },
    {
      name: "ends",
      title: names.ends,
      width: "168px",
      align: "end",
      from: "medium",
      cell: ({ expires_at }) => expires_at ? <Time at={expires_at} /> : names.never,
    },
    timeColumn("used", names.lastUsed, ({ last_used_at }) => last_used_at, { from: "wide" }),
    timeColumn("created", names.created, ({ created_at }) => created_at, { from: "full" }),
  ];
}
