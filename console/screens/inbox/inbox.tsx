import { canNotify, isNotifying, toggleNotices } from "../../data/live/desktop_notices.ts";
import { route } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { HandoffPane } from "./calls/handoff_pane.tsx";
import { ListPane } from "./list_pane.tsx";
import { ThreadPane } from "./thread/thread_pane.tsx";
import { words } from "../../i18n/words.ts";

/** Chats of the website and replies on WhatsApp: the list, one of them, and the person. On phones one after the other. */
export default function Inbox() {
  const { conversation, handoff, details } = route.value.query;
  const { title, choose, chooseHelp } = words().inbox;
  const step = conversation || handoff ? (details ? "details" : "thread") : "list";
  return (
    <div class={`inbox at-${step}`}>
      <PageHead title={title} actions={<NoticeSwitch />} />
      <div class="inbox-panes">
        <ListPane />
        {conversation
          ? <ThreadPane key={conversation} conversationId={conversation} />
          : handoff
          ? <HandoffPane key={handoff} handoffId={handoff} />
          : (
            <div class="pane thread-pane">
              <Empty title={choose}>{chooseHelp}</Empty>
            </div>
          )}
      </div>
    </div>
  );
}

/** Asks the browser only when the person presses it. */
function NoticeSwitch() {
  if (!canNotify()) return null;
  const { notify, notifyOn, notifyRefused, notifyDone } = words().inbox;
  return (
    <Button
      icon="bell"
      kind="quiet"
      onPress={async () => {
        if (!await toggleNotices()) toast(notifyRefused, { isBad: true });
        else if (isNotifying.value) toast(notifyDone);
      }}
    >
      {isNotifying.value ? notifyOn : notify}
    </Button>
  );
}
