import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import type { FurtherWebhook } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { count } from "../../i18n/format.ts";
import { pathOf } from "./target.ts";
import { useFurtherWebhooks } from "./webhook_data.ts";
import { WebhookForm } from "./webhook_form.tsx";
import { webhookWords } from "../../i18n/webhook_words.ts";

/** The webhooks beside the company's own. */
export function FurtherWebhooks({ onSecret }: { onSecret: (secret: string) => void }) {
  const list = useFurtherWebhooks();
  const [isAdding, setAdding] = useState(false);
  const names = webhookWords();
  return (
    <Section
      title={names.further}
      actions={may("owner") && <Button icon="plus" onPress={() => setAdding(true)}>{names.add}</Button>}
    >
      <p class="help">{names.furtherHelp}</p>
      <div class="below">
        <DataTable
          label={names.further}
          list={list}
          columns={columns()}
          hrefOf={({ endpoint_id }) => link(pathOf(endpoint_id))}
          empty={<Empty title={names.noFurther} />}
        />
      </div>
      {isAdding && (
        <WebhookForm
          of="new"
          onClose={() => setAdding(false)}
          onSaved={(secret) => {
            setAdding(false);
            onSecret(secret!);
            list.reload();
          }}
        />
      )}
    </Section>
  );
}

function columns(): Column<FurtherWebhook>[] {
  const names = webhookWords();
  return [
    { name: "name", title: names.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
    { name: "url", title: names.url, from: "medium", cell: ({ url }) => <span title={url}>{url}</span> },
    {
      name: "state",
      title: names.state,
      width: "112px",
      cell: ({ is_active }) => <StatusBadge status={is_active ? "active" : "off"} />,
    },
    {
      name: "failures",
      title: names.failures,
      width: "136px",
      align: "end",
      from: "medium",
      cell: ({ failures }) => count(failures),
    },
    {
      name: "waiting",
      title: names.waiting,
      width: "104px",
      align: "end",
      from: "wide",
      cell: ({ waiting }) => count(waiting),
    },
  ];
}
