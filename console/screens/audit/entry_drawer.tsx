import { link } from "../../data/company.ts";
import type { AuditEntry } from "../../data/sdk.ts";
import { Copy } from "../../components/copy.tsx";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { Time } from "../../components/time.tsx";
import { actionLabel, pathOf } from "./actions.ts";
import type { ActorName } from "./actor_names.ts";
import { type Change, changesOf } from "./changes.ts";
import { words } from "../../i18n/words.ts";

/** One change: who made it, when, and what it was before and after. */
export function EntryDrawer({ entry, nameOf, onClose }: {
  entry: AuditEntry;
  nameOf: ActorName;
  onClose: () => void;
}) {
  const { id, at, actor, action, subject, request_id } = entry;
  const names = words().audit;
  const to = pathOf(entry);
  return (
    <Drawer title={actionLabel(action)} onClose={onClose}>
      <Facts>
        <Fact name={names.at}>
          <Time at={at} style="full" />
        </Fact>
        <Fact name={names.actor}>
          {nameOf(actor)} · <a href={link(["audit"], { actor })}>{names.allByThem}</a>
        </Fact>
        <Fact name={names.action}>
          <code data-technical>{action}</code>
        </Fact>
        <Fact name={names.subject}>
          {subject && (
            <>
              <span class="with-copy">
                <code data-technical>{subject}</code>
                <Copy text={subject} />
              </span>
              {to && (
                <>
                  <a href={link(to)}>{names.open}</a>
                  {" · "}
                </>
              )}
              <a href={link(["audit"], { subject })}>{names.allAboutIt}</a>
            </>
          )}
        </Fact>
        <Fact name={words().common.requestId}>
          {request_id && (
            <span class="with-copy">
              <code data-technical>{request_id}</code>
              <Copy text={request_id} />
            </span>
          )}
        </Fact>
      </Facts>
      <Changes key={id} entry={entry} />
    </Drawer>
  );
}

function Changes({ entry }: { entry: AuditEntry }) {
  const names = words().audit;
  const changes = changesOf(entry);
  return (
    <Section title={names.change}>
      {changes.length === 0 ? <p class="help">{names.noFields}</p> : (
        <PlainTable
          rows={changes}
          keyOf={({ field }) => field}
          columns={[
            { title: names.field, cell: ({ field }) => field },
            ...(entry.before
              ? [{
                title: names.before,
                cell: ({ before }: Change) =>
                  before === undefined ? <None /> : <del data-technical>{before}</del>,
              }]
              : []),
            {
              title: names.after,
              cell: ({ after }) => after === undefined ? <None /> : <ins data-technical>{after}</ins>,
            },
          ]}
        />
      )}
    </Section>
  );
}

function None() {
  return <span class="none">–</span>;
}
