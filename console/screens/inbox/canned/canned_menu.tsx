import { useEffect } from "preact/hooks";
import type { CannedReply } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { words } from "../../../i18n/words.ts";

const MAX_SHOWN = 8;

/** Returns the canned replies for what was typed: those whose shortcut begins with it first. */
export function cannedLike(replies: CannedReply[], typed: string): CannedReply[] {
  const like = (text: string) => text.toLowerCase().includes(typed);
  const begin = replies.filter(({ shortcut }) => shortcut.startsWith(typed));
  const others = replies.filter((each) => !begin.includes(each) && (like(each.shortcut) || like(each.text)));
  return [...begin, ...others].slice(0, MAX_SHOWN);
}

/** The canned replies above the field; the field has the focus and the keys. */
export function CannedMenu({ id, replies, at, onChoose, onManage }: {
  id: string;
  replies: CannedReply[];
  /** Which one Enter takes. */
  at: number;
  onChoose: (reply: CannedReply) => void;
  onManage: () => void;
}) {
  const { canned, cannedNone, cannedManage } = words().inbox;
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <div class="canned-menu">
      <ul role="listbox" id={id} aria-label={canned}>
        {replies.map((reply, index) => (
          <li
            key={reply.canned_reply_id}
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === at}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(reply)}
          >
            <code>/{reply.shortcut}</code> <span>{reply.text}</span>
          </li>
        ))}
      </ul>
      <div class="canned-foot">
        <span class="help">{replies.length === 0 && cannedNone}</span>
        <Button kind="quiet" onPress={onManage}>{cannedManage}</Button>
      </div>
    </div>
  );
}
