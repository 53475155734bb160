import { useEffect } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { route } from "../../../data/route.ts";
import { Button } from "../../../components/button.tsx";
import { Empty } from "../../../components/empty.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { HandoffRows } from "../calls/handoff_rows.tsx";
import { useConversations, type View, VIEWS } from "../inbox_data.ts";
import { learnLabels } from "../known_labels.ts";
import { Row } from "./conversation_row.tsx";
import { Found, MIN_SEARCH_LENGTH } from "./found.tsx";
import { ListFilters, narrowedBy } from "./list_filters.tsx";
import { Skeleton } from "./skeleton.tsx";
import { words } from "../../../i18n/words.ts";

/** The view that the address names. */
function viewOf(query: Record<string, string>): View {
  return VIEWS.find((view) => view === query.view) ?? "waiting";
}

/** Lists what waits, by view, or what a search finds. */
export function ListPane() {
  const { query } = route.value;
  const view = viewOf(query);
  const { views, viewsLabel } = words().inbox;
  const search = (query.q ?? "").trim();
  const isSearching = view !== "calls" && search.length >= MIN_SEARCH_LENGTH;
  return (
    <section class="pane list-pane" aria-label={views[view]}>
      <nav class="views" aria-label={viewsLabel}>
        {VIEWS.map((each) => (
          <a
            key={each}
            href={link(["inbox"], { ...query, view: each === "waiting" ? undefined : each, q: undefined })}
            aria-current={each === view && !isSearching ? "true" : undefined}
          >
            {views[each]}
          </a>
        ))}
      </nav>
      {view !== "calls" && <ListFilters view={view} />}
      {view === "calls"
        ? <HandoffRows />
        : isSearching
        ? <Found text={search} />
        : <Conversations view={view} />}
    </section>
  );
}

function Conversations({ view }: { view: View }) {
  const { query } = route.value;
  const narrowed = narrowedBy(query);
  const list = useConversations(view, narrowed);
  const { none, noneHelp, noneLike, more } = words().inbox;
  useEffect(() => learnLabels(list.rows ?? []), [list.rows]);
  if (list.rows === undefined) {
    if (list.problem) return <ErrorNotice problem={list.problem} onRetry={list.reload} />;
    return <Skeleton />;
  }
  const isNarrowed = Object.values(narrowed).some(Boolean);
  return (
    <div class="rows">
      {list.problem && <ErrorNotice problem={list.problem} onRetry={list.reload} />}
      {list.rows.length === 0 &&
        (isNarrowed ? <Empty title={noneLike} /> : <Empty title={none[view]}>{noneHelp[view]}</Empty>)}
      <ul>
        {list.rows.map((row) => (
          <Row key={row.conversation_id} row={row} isChosen={row.conversation_id === query.conversation} />
        ))}
      </ul>
      {!list.isComplete && <Button onPress={list.readMore}>{more}</Button>}
    </div>
  );
}
