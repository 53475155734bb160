import { link } from "../../data/company.ts";
import type { AuditEntry } from "../../data/sdk.ts";
import { Copy } from "../../parts/copy.tsx";
import { Drawer } from "../../parts/dialog.tsx";
import { Fact, Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/page_head.tsx";
import { Time } from "../../parts/time.tsx";
import { words as shared } from "../../words/words.ts";
import { actionLabel, placeOf } from "./actions.ts";
import type { ActorName } from "./actor_names.ts";
import { changesOf } from "./changes.ts";
import { words } from "./words.ts";

/** One change: who made it, when, and what it was before and after. */
export function EntryDrawer({ entry, nameOf, onClose }: {
  entry: AuditEntry;
  nameOf: ActorName;
  onClose: () => void;
}) {
  const { id, at, actor, action, subject, request_id } = entry;
  const names = words();
  const to = placeOf(entry);
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
          <code>{action}</code>
        </Fact>
        <Fact name={names.subject}>
          {subject && (
            <>
              <span class="with-copy">
                <code>{subject}</code>
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
        <Fact name={shared().requestId}>
          {request_id && (
            <span class="with-copy">
              <code>{request_id}</code>
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
  const names = words();
  const changes = changesOf(entry);
  return (
    <Section title={names.change}>
      {changes.length === 0 ? <p class="help">{names.noFields}</p> : (
        <table class="plain-table changes">
          <thead>
            <tr>
              <th scope="col">{names.field}</th>
              {entry.before && <th scope="col">{names.before}</th>}
              <th scope="col">{names.after}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">
                  <code>{field}</code>
                </th>
                {entry.before && <td>{before === undefined ? <None /> : <del>{before}</del>}</td>}
                <td>{after === undefined ? <None /> : <ins>{after}</ins>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function None() {
  return <span class="none">–</span>;
}
