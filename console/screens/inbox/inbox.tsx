import { may } from "../../data/company.ts";
import { canNotify, isBlocked, isNotifying, switchNotices } from "../../data/live/desktop_notices.ts";
import { usePush } from "../../data/live/push.ts";
import { changeQuery, route } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { HandoffPane } from "./calls/handoff_pane.tsx";
import { ListPane } from "./list/list_pane.tsx";
import { TemplateDialog } from "./thread/template_button.tsx";
import { ThreadPane } from "./thread/thread_pane.tsx";
import { words } from "../../i18n/words.ts";

/**
 * Chats of the website and replies on WhatsApp: the list, one of them, and the person. On phones one after the other. The
 * address may ask for a new conversation: `inbox?to=34600111222`, or `to=new`.
 */
export default function Inbox() {
  const { conversation, handoff, details, to } = route.value.query;
  const { title, choose, chooseHelp, begin } = words().inbox;
  const step = conversation || handoff ? (details ? "details" : "thread") : "list";
  return (
    <div class={`inbox at-${step}`}>
      <PageHead
        title={title}
        actions={
          <>
            <NoticeSwitch />
            {may("operator") && (
              <Button icon="plus" onPress={() => changeQuery({ to: "new" })}>{begin}</Button>
            )}
          </>
        }
      />
      {to && (
        <TemplateDialog
          number={to === "new" ? "" : `+${to}`}
          onClose={() => changeQuery({ to: undefined })}
        />
      )}
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
  const push = usePush();
  if (!canNotify() || push === undefined) return null;
  const { isOffered, isOn: isPushOn, start, stop } = push;
  const isOn = isNotifying.value || isPushOn;
  const names = words().inbox;

  async function change(): Promise<void> {
    if (!await switchNotices(!isOn)) return toast(names.notifyRefused, { isBad: true });
    if (isOn) return void await attempt(stop);
    if (!isOffered) return toast(names.notifyDone);
    const isPushed = await attempt(start);
    if (isPushed !== undefined) toast(isPushed ? names.pushDone : names.pushFailed, { isBad: !isPushed });
  }

  const lasts = isPushOn || !isOffered ? names.notifyOn : names.notifyOpen;
  return (
    <Button icon="bell" kind="quiet" onPress={change}>
      {isBlocked.value ? names.notifyBlocked : isOn ? lasts : names.notify}
    </Button>
  );
}
