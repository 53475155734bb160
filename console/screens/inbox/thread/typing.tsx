import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask } from "../../../data/client.ts";
import { Problem } from "../../../data/problem.ts";
import { reportTyping } from "../../../data/sdk.ts";
import type { ConversationPath } from "../inbox_data.ts";
import { words } from "../../../i18n/words.ts";

/** The API forgets it after eight seconds. */
const REPEAT_MS = 5000;

/** Says that the other side is writing, until the moment given. */
export function Typing({ until }: { until: string }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Date.parse(until) - Date.now());
    return () => clearTimeout(timer);
  }, []);
  return isOver || Date.parse(until) <= Date.now() ? null : <p class="typing">{words().inbox.typing}</p>;
}

/** Returns a function to call with every key: it shows the visitor that a member is writing. */
export function useTypingReport(path: ConversationPath): (isTyping: boolean) => void {
  const reportedAt = useRef(0);
  return (isTyping) => {
    if (isTyping && Date.now() - reportedAt.current < REPEAT_MS) return;
    reportedAt.current = isTyping ? Date.now() : 0;
    ask(reportTyping({ client: api(), path, body: { is_typing: isTyping } })).catch((error) => {
      // It is a courtesy: what was written matters, not this.
      if (!(error instanceof Problem)) throw error;
    });
  };
}
