import { useEffect, useRef } from "preact/hooks";
import { may } from "../../../data/company.ts";
import type { InboxConversation } from "../../../data/sdk.ts";
import { session } from "../../../data/session/session.ts";
import type { Mode } from "./composer.tsx";
import { assign, end } from "./conversation_actions.tsx";

const FIELDS = "input, textarea, select, [contenteditable]";

/** Keys for the conversation that is open: r writes a reply, n a note, a takes it, e closes it. */
export function useThreadKeys(
  conversation: InboxConversation | undefined,
  write: (mode: Mode) => void,
): void {
  const press = (event: KeyboardEvent) => {
    const isElsewhere = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey ||
      event.target instanceof HTMLElement && event.target.matches(FIELDS) ||
      document.querySelector("dialog[open]") !== null;
    if (isElsewhere || conversation === undefined || !may("operator")) return;
    const acts: Record<string, () => unknown> = {
      r: () => write("reply"),
      n: () => write("note"),
      a: () => assign(conversation, session.value?.userId ?? null),
      e: () => conversation.state !== "closed" && end(conversation),
    };
    if (acts[event.key] === undefined) return;
    event.preventDefault();
    acts[event.key]!();
  };
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
