import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask } from "./client.ts";
import { companyId, may } from "./company.ts";
import { Problem } from "./problem.ts";
import { getMyDraft, keepMyDraft, removeMyDraft } from "./sdk.ts";
import { session } from "./session/session.ts";

/** Long enough that not every letter is a request. */
const TYPING_MS = 1500;

/** A form that shows an earlier draft, or not. */
export interface Restored {
  /** When it was typed; undefined where nothing was restored. */
  typedAt: string | undefined;
  /** Takes it back. */
  discard: () => void;
  /** Forgets it: it was saved. */
  forget: () => void;
}

/** A form whose contents are kept until they are saved. */
export interface DraftOptions<T> {
  /** As it is entered. */
  value: T;
  /** As it is stored: the form has a draft while it differs, and restores one where this has not changed since. */
  stored: T;
  /** Puts a draft into the form. */
  restore: (value: T) => void;
}

/**
 * Keeps what is entered in a form at the server, for the member alone, until it is saved or discarded, and restores it
 * when the form is opened again.
 *
 * @param kind the form, such as `widget`
 * @param key the thing that it is about
 */
export function useDraft<T extends object>(kind: string, key: string, options: DraftOptions<T>): Restored {
  const { value, stored } = options;
  const latest = useRef(options);
  latest.current = options;
  const [typedAt, setTypedAt] = useState<string>();
  const base = JSON.stringify(stored);
  const text = JSON.stringify(value);
  /** The text that the server has; undefined until it is known. */
  const kept = useRef<string | null | undefined>(undefined);
  const isSaved = useRef(false);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const path = { company_id: companyId(), kind, key };

  function put(body: string | null): void {
    kept.current = body;
    const send = () =>
      body === null
        ? ask(removeMyDraft({ client: api(), path }))
        : ask(keepMyDraft({ client: api(), path, body: { body: { base, text: body } } }));
    // One after the other: what is removed must not come back.
    const sending = last.current.then(send, send);
    last.current = sending;
    // The next letter is another try. What is typed is in the form all the same.
    sending.catch((error) => {
      if (!(error instanceof Problem)) throw error;
      kept.current = undefined;
    });
  }

  useEffect(() => {
    if (!may("operator")) return;
    const leaving = new AbortController();
    ask(getMyDraft({ client: api(), path, signal: leaving.signal })).then(({ draft }) => {
      if (leaving.signal.aborted) return;
      // As text: the database has an order of its own for fields.
      const { base: from, text } = (draft?.body ?? {}) as { base?: string; text?: string };
      kept.current = text ?? null;
      const now = latest.current;
      const isUntouched = JSON.stringify(now.value) === JSON.stringify(now.stored);
      if (text === undefined || !isUntouched) return;
      // It was saved, or another member changed it since: the draft would take that back.
      if (from !== JSON.stringify(now.stored)) return put(null);
      now.restore(JSON.parse(text) as T);
      setTypedAt(draft!.updated_at);
    }, (error) => {
      if (!leaving.signal.aborted && !(error instanceof Problem)) throw error;
    });
    return () => leaving.abort();
  }, [kind, key]);

  useEffect(() => {
    if (!may("operator")) return;
    const wanted = text === base ? null : text;
    isSaved.current &&= wanted === null;
    if (wanted === (kept.current ?? null)) return;
    if (wanted === null) {
      setTypedAt(undefined);
      return put(null);
    }
    const timer = setTimeout(() => put(wanted), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, base]);

  const leave = useRef(() => {});
  leave.current = () => {
    const isKept = text === base || text === kept.current;
    if (!isKept && !isSaved.current && may("operator") && session.peek()) put(text);
  };
  useEffect(() => () => leave.current(), [kind, key]);

  return {
    typedAt,
    discard: () => options.restore(stored),
    forget() {
      isSaved.current = true;
      if (kept.current !== null) put(null);
    },
  };
}
