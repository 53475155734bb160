import { link } from "../../../data/company.ts";
import { useNow } from "../../../data/live/now.ts";
import { route } from "../../../data/route.ts";
import type { InboxConversation } from "../../../data/sdk.ts";
import { authorName, initialsOf, memberName } from "../../../components/author.ts";
import { Icon } from "../../../components/icon.tsx";
import { Time } from "../../../components/time.tsx";
import { useAssignees } from "../inbox_data.ts";
import { Stars } from "../stars.tsx";
import { LabelChips } from "../labels.tsx";
import { nameOf, numberBeside, waitedSince } from "../names.ts";
import { assistantWords } from "../../../i18n/assistant_words.ts";
import { words } from "../../../i18n/words.ts";

/** A reply is late after so long. */
const LATE_MS = 15 * 60_000;

/** One conversation of the list: who, the last words and who wrote them, since when it waits. */
export function Row({ row, isChosen, found }: {
  row: InboxConversation;
  isChosen: boolean;
  /** The message that a search found, instead of the last one. */
  found?: { text: string; at: string } | undefined;
}) {
  const { conversation_id, state, last_message_at, assigned_to, labels, rating } = row;
  const now = useNow();
  const assignee = useAssignees()?.find(({ user_id }) => user_id === assigned_to);
  const { waits } = words().inbox;
  const name = nameOf(row);
  const isWaiting = state === "unanswered";
  const wantsPerson = isWaiting && row.handoff_requested_at !== null;
  const isLate = isWaiting && now - Date.parse(last_message_at) > LATE_MS;
  const query = {
    ...route.value.query,
    conversation: conversation_id,
    handoff: undefined,
    details: undefined,
  };
  return (
    <li class={`inbox-row ${state}${isChosen ? " chosen" : ""}${isLate ? " late" : ""}`}>
      <Avatar row={row} name={name} />
      <a class="row-link" href={link(["inbox"], query)} aria-current={isChosen ? "true" : undefined}>
        <span class="unseen">{words().inbox.kinds[row.kind]}</span>
        <span class="who">{name}</span>
        {numberBeside(row) && <small>{numberBeside(row)}</small>}
      </a>
      <span class="when">
        {found
          ? <Time at={found.at} />
          : isWaiting
          ? waits(waitedSince(last_message_at, now))
          : <Time at={last_message_at} />}
      </span>
      <span class="last">{found ? found.text : <LastWords row={row} />}</span>
      {(assignee || state === "closed" || labels.length > 0 || rating || wantsPerson) && (
        <span class="row-foot">
          {wantsPerson && <span class="label tone-1">{assistantWords().wantsPerson}</span>}
          <LabelChips labels={labels} />
          {rating && <Stars count={rating.rating} />}
          <span class="owner">
            {state === "closed" ? words().common.statuses.closed : assignee && memberName(assignee)}
          </span>
        </span>
      )}
    </li>
  );
}

function Avatar({ row: { kind, conversation_id }, name }: { row: InboxConversation; name: string }) {
  const sign = kind === "chat" && name.endsWith(conversation_id.slice(0, 4).toUpperCase());
  const letters = sign ? "" : initialsOf(name);
  return (
    <span class={`avatar ${kind}`} aria-hidden="true" title={words().inbox.kinds[kind]}>
      {/\p{L}/u.test(letters) ? letters : <Icon name="user" />}
      <span class="channel">
        <Icon name={kind === "chat" ? "chat" : "bubble"} />
      </span>
    </span>
  );
}

function LastWords({ row: { last_author, last_written_by, last_text } }: { row: InboxConversation }) {
  return (
    <>
      {last_author === "company" && `${authorName(last_written_by)}: `}
      {last_text ?? words().inbox.noText}
    </>
  );
}
