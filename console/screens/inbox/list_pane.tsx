import { link } from "../../data/company.ts";
import { useNow } from "../../data/live/now.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { InboxConversation } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Select } from "../../components/form/fields.tsx";
import { Icon } from "../../components/icon.tsx";
import { Time } from "../../components/time.tsx";
import { HandoffRows } from "./calls/handoff_rows.tsx";
import { useAssignees, useConversations, type View, VIEWS } from "./inbox_data.ts";
import { memberName, nameOf, waitedSince } from "./names.ts";
import { Skeleton } from "./skeleton.tsx";
import { words } from "../../i18n/words.ts";

/** The view that the address names. */
export function viewOf(query: Record<string, string>): View {
  return VIEWS.find((view) => view === query.view) ?? "waiting";
}

/** Lists what waits, by view. */
export function ListPane() {
  const { query } = route.value;
  const view = viewOf(query);
  const { views, viewsLabel, kind, kinds } = words().inbox;
  return (
    <section class="pane list-pane" aria-label={views[view]}>
      <nav class="views" aria-label={viewsLabel}>
        {VIEWS.map((each) => (
          <a
            key={each}
            href={link(["inbox"], { ...query, view: each === "waiting" ? undefined : each })}
            aria-current={each === view ? "true" : undefined}
          >
            {views[each]}
          </a>
        ))}
      </nav>
      {view !== "calls" && (
        <div class="filters" role="search">
          <Select
            label={kind}
            hideLabel
            value={query.kind ?? ""}
            options={[["", kinds.all], ["chat", kinds.chat], ["whatsapp", kinds.whatsapp]]}
            onChange={(chosen) => changeQuery({ kind: chosen })}
          />
        </div>
      )}
      {view === "calls" ? <HandoffRows /> : <Conversations view={view} />}
    </section>
  );
}

function Conversations({ view }: { view: View }) {
  const { kind, conversation: chosen } = route.value.query;
  const list = useConversations(view, kind);
  const { none, noneHelp, noneLike, more } = words().inbox;
  if (list.rows === undefined) {
    if (list.problem) return <ErrorNotice problem={list.problem} onRetry={list.reload} />;
    return <Skeleton />;
  }
  return (
    <div class="rows">
      {list.problem && <ErrorNotice problem={list.problem} onRetry={list.reload} />}
      {list.rows.length === 0 &&
        (kind ? <Empty title={noneLike} /> : <Empty title={none[view]}>{noneHelp[view]}</Empty>)}
      <ul>
        {list.rows.map((row) => (
          <Row key={row.conversation_id} row={row} isChosen={row.conversation_id === chosen} />
        ))}
      </ul>
      {!list.isComplete && <Button onPress={list.readMore}>{more}</Button>}
    </div>
  );
}

function Row({ row, isChosen }: { row: InboxConversation; isChosen: boolean }) {
  const { conversation_id, kind, state, last_text, last_author, last_message_at, assigned_to } = row;
  const now = useNow();
  const assignee = useAssignees()?.find(({ user_id }) => user_id === assigned_to);
  const { you, kinds, noText, waits } = words().inbox;
  const query = {
    ...route.value.query,
    conversation: conversation_id,
    handoff: undefined,
    details: undefined,
  };
  return (
    <li class={`inbox-row ${state}${isChosen ? " chosen" : ""}`}>
      <a class="row-link" href={link(["inbox"], query)} aria-current={isChosen ? "true" : undefined}>
        <span class="kind" title={kinds[kind]}>
          <Icon name={kind === "chat" ? "chat" : "bubble"} />
          <span class="unseen">{kinds[kind]}</span>
        </span>
        <span class="who">{nameOf(row)}</span>
      </a>
      <span class="when">
        {state === "unanswered" ? waits(waitedSince(last_message_at, now)) : <Time at={last_message_at} />}
      </span>
      <span class="last">
        {last_author === "company" && <span class="mine">{you}</span>}
        {last_text ?? noText}
      </span>
      {(assignee || state === "closed") && (
        <span class="owner">
          {state === "closed" ? words().common.statuses.closed : assignee && memberName(assignee)}
        </span>
      )}
    </li>
  );
}
