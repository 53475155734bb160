import { link } from "../../../data/company.ts";
import { useNow } from "../../../data/live/now.ts";
import { route } from "../../../data/route.ts";
import type { RequestedHandoff } from "../../../data/sdk.ts";
import { Empty } from "../../../components/empty.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Icon } from "../../../components/icon.tsx";
import { StatusBadge } from "../../../components/status_badge.tsx";
import { useHandoffs } from "../inbox_data.ts";
import { waitedSince } from "../names.ts";
import { Skeleton } from "../list/skeleton.tsx";
import { words } from "../../../i18n/words.ts";

/** Voice visitors who asked for a person. */
export function HandoffRows() {
  const list = useHandoffs();
  const { none, noneHelp } = words().inbox;
  const rows = list.rows?.filter(({ status }) => status !== "ended");
  if (rows === undefined) {
    return list.problem ? <ErrorNotice problem={list.problem} onRetry={list.reload} /> : <Skeleton />;
  }
  if (rows.length === 0) return <Empty title={none.calls}>{noneHelp.calls}</Empty>;
  return (
    <div class="rows">
      <ul>{rows.map((row) => <Row key={row.handoff_id} row={row} />)}</ul>
    </div>
  );
}

function Row({ row: { handoff_id, status, reason, created_at } }: { row: RequestedHandoff }) {
  const { query } = route.value;
  const isChosen = query.handoff === handoff_id;
  const now = useNow();
  const { noReason, waits, caller } = words().inbox;
  const href = link(["inbox"], { ...query, handoff: handoff_id, conversation: undefined });
  return (
    <li class={`inbox-row ${status === "waiting" ? "unanswered" : ""}${isChosen ? " chosen" : ""}`}>
      <span class="avatar" aria-hidden="true">
        <Icon name="call" />
      </span>
      <a class="row-link" href={href} aria-current={isChosen ? "true" : undefined}>
        <span class="who">{caller(handoff_id.slice(0, 4).toUpperCase())}</span>
      </a>
      <span class="when">
        {status === "waiting" ? waits(waitedSince(created_at, now)) : <StatusBadge status={status} />}
      </span>
      <span class="last">{reason ?? noReason}</span>
    </li>
  );
}
