import { may } from "../../../data/company.ts";
import { useNow } from "../../../data/live/now.ts";
import type { InboxConversation } from "../../../data/sdk.ts";
import { Icon, type IconName } from "../../../components/icon.tsx";
import { Time } from "../../../components/time.tsx";
import { duration } from "../../../i18n/format.ts";
import { NoteForm } from "./private_note.tsx";
import { TemplateButton } from "./template_button.tsx";
import { type ReplyProps, Writing } from "./writing.tsx";
import { words } from "../../../i18n/words.ts";

const HOUR_MS = 3_600_000;

/** A reply goes to the person, a note to colleagues. */
export type Mode = "reply" | "note";

interface ComposerProps extends ReplyProps {
  mode: Mode;
  onMode: (mode: Mode) => void;
  onNoted: () => void;
}

/** Where a reply or a note is written. */
export function Composer(props: ComposerProps) {
  const { mode, onMode } = props;
  const { viewerHelp, modesLabel, modes } = words().inbox;
  if (!may("operator")) return <p class="composer facts">{viewerHelp}</p>;
  const choices: [Mode, IconName][] = [["reply", "reply"], ["note", "note"]];
  return (
    <div class={`composer ${mode}`}>
      <div class="composer-modes" role="group" aria-label={modesLabel}>
        {choices.map(([each, icon]) => (
          <button
            key={each}
            type="button"
            aria-pressed={mode === each}
            onClick={() => onMode(each)}
          >
            <Icon name={icon} />
            {modes[each]}
          </button>
        ))}
      </div>
      {/* Files that are on their way up stay while a note is written. */}
      <div class="reply-area" hidden={mode === "note"}>
        <Reply {...props} />
      </div>
      {mode === "note" && <NoteForm path={props.path} onNoted={props.onNoted} />}
    </div>
  );
}

/** The field, or why nothing can be written now. */
function Reply(props: ComposerProps) {
  const { conversation: { kind, state, window_closes_at } } = props;
  const now = useNow(1000);
  if (kind === "chat") {
    return state === "closed" ? <p class="facts">{words().inbox.chatClosed}</p> : <Writing {...props} />;
  }
  const leftMs = window_closes_at === null ? 0 : Date.parse(window_closes_at) - now;
  return leftMs > 0
    ? <Writing {...props} note={<WindowNote leftMs={leftMs} closesAt={window_closes_at!} />} />
    : <WindowClosed {...props} />;
}

/** The countdown of WhatsApp's window. */
function WindowNote({ leftMs, closesAt }: { leftMs: number; closesAt: string }) {
  // Seconds matter in the last hour only.
  const shownS = leftMs > HOUR_MS ? Math.floor(leftMs / 60_000) * 60 : Math.ceil(leftMs / 1000);
  return (
    <span class={leftMs < HOUR_MS ? "window late" : "window"}>
      {words().inbox.windowOpen(duration(shownS))}
      <span class="window-at">
        {" "}
        (<Time at={closesAt} />)
      </span>
    </span>
  );
}

function WindowClosed({ conversation }: { conversation: InboxConversation }) {
  const { windowClosed, windowNever, windowHelp, template } = words().inbox;
  return (
    <div class="window-closed">
      <p>
        <strong>{conversation.window_closes_at === null ? windowNever : windowClosed}</strong> {windowHelp}
      </p>
      <TemplateButton label={template} conversation={conversation} />
    </div>
  );
}
