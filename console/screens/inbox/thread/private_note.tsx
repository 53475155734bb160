import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask } from "../../../data/client.ts";
import { addNote } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { attempt } from "../../../components/dialog/toast.tsx";
import { keepDraft, readDraft } from "./drafts.ts";
import type { ConversationPath } from "../inbox_data.ts";
import { words } from "../../../i18n/words.ts";

const MAX_LENGTH = 4000;

/** Writes a note for colleagues. Nothing of it goes to the person. */
export function NoteForm({ path, onNoted }: { path: ConversationPath; onNoted: () => void }) {
  const draft = `${path.conversation_id} note`;
  const [text, setText] = useState(readDraft(draft));
  const field = useRef<HTMLTextAreaElement>(null);
  const { writeNote, noteHint, addNote: add } = words().inbox;
  useEffect(() => field.current!.focus(), []);

  function type(next: string): void {
    setText(next);
    keepDraft(draft, next);
  }

  async function save(event?: Event): Promise<void> {
    event?.preventDefault();
    const note = text.trim();
    if (note === "") return;
    if (!await attempt(() => ask(addNote({ client: api(), path, body: { text: note } })))) return;
    type("");
    onNoted();
  }

  return (
    <form onSubmit={save}>
      <textarea
        ref={field}
        rows={Math.min(6, Math.max(2, text.split("\n").length))}
        maxLength={MAX_LENGTH}
        aria-label={writeNote}
        placeholder={writeNote}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void save();
        }}
      />
      <div class="composer-foot">
        <span class="facts">{noteHint}</span>
        <Button type="submit" kind="main" icon="note" disabled={text.trim() === ""}>{add}</Button>
      </div>
    </form>
  );
}
