import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { CannedReply, InboxConversation } from "../../../data/sdk.ts";
import { useCannedReplies } from "../canned/canned_data.ts";
import { cannedLike } from "../canned/canned_menu.tsx";
import { useCannedValues } from "../canned/canned_values.ts";
import { fillVariables, slashAt } from "../canned/fill.ts";

/** The canned replies for what follows a slash in the field, and the keys that choose one. */
export function useCanned(
  { conversation, field, text, setText }: {
    conversation: InboxConversation;
    field: RefObject<HTMLTextAreaElement | null>;
    text: string;
    setText: (text: string) => void;
  },
) {
  const replies = useCannedReplies().data ?? [];
  const values = useCannedValues(conversation);
  const [at, setAt] = useState(0);
  const [caret, setCaret] = useState(0);
  const [closedAt, setClosedAt] = useState<number>();
  const slash = slashAt(text, Math.min(caret, text.length));
  const isOpen = slash !== undefined && slash.from !== closedAt;
  const found = isOpen ? cannedLike(replies, slash.typed) : [];

  function insert(content: string, from: number, to: number): void {
    setText(text.slice(0, from) + content + text.slice(to));
    const end = from + content.length;
    setCaret(end);
    // The field has the text after the next rendering.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(end, end);
    });
  }

  function choose(reply: CannedReply): void {
    if (slash) insert(fillVariables(reply.text, values), slash.from, caret);
  }

  /** Returns whether the menu took the key. */
  function press({ key }: KeyboardEvent): boolean {
    if (!isOpen) return false;
    if (key === "Escape") setClosedAt(slash.from);
    else if (key === "ArrowDown") setAt((Math.min(at, found.length - 1) + 1) % Math.max(1, found.length));
    else if (key === "ArrowUp") setAt((at + found.length - 1) % Math.max(1, found.length));
    else if ((key === "Enter" || key === "Tab") && found[at]) choose(found[at]);
    else return false;
    return true;
  }

  /** Called when the text or the caret has moved. */
  function follow(): void {
    setCaret(field.current?.selectionStart ?? 0);
    setAt(0);
    if (slash === undefined) setClosedAt(undefined);
  }

  return {
    isOpen,
    found,
    at: Math.min(at, Math.max(0, found.length - 1)),
    choose,
    press,
    follow,
    insert,
    caret,
  };
}
