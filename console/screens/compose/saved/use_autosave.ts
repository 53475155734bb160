import { useEffect, useRef, useState } from "preact/hooks";
import { askWithEtag, ifMatch } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { isChangedMeanwhile, Problem } from "../../../data/problem.ts";
import { changeQuery } from "../../../data/route.ts";
import { changeDraft } from "../../../data/sdk.ts";
import { dropDraft, followChange, type StoredDraft, storeDraft } from "./draft_data.ts";
import type { Plan } from "./read_plan.ts";

/** Whether what is shown is stored. `changed`: a colleague changed, sent or removed it. */
export type SaveState = "none" | "saving" | "saved" | "failed" | "changed";

export interface Autosave {
  state: SaveState;
  /** Stores all as another draft, after a colleague changed this one. */
  keep(): void;
  /** Stores what is not yet, and returns the draft's id. Throws a `Problem`. */
  flush(): Promise<string>;
  /** Removes the draft, and stores nothing more: it is being sent. */
  end(): Promise<void>;
}

/** A pause in typing, not a word. */
const SAVE_MS = 1000;

/**
 * Stores a campaign that is being written as a draft, after each pause, and when the person leaves the screen.
 *
 * @param opened the draft that is gone on with
 * @param draft what to store; undefined until the person has done anything
 * @param onBegin called with the id of a new draft, just before it is in the address
 */
export function useAutosave(
  opened: StoredDraft | undefined,
  draft: { name: string; plan: Plan } | undefined,
  onBegin: (draftId: string) => void,
): Autosave {
  const company_id = useRef(companyId()).current;
  const stored = useRef(opened);
  const storedText = useRef<string | undefined>(undefined);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const life = useRef({ isOver: false, isLeft: false, isLost: false });
  const [state, setState] = useState<SaveState>(opened ? "saved" : "none");
  const text = draft && JSON.stringify(draft);
  const latest = useRef(text);
  latest.current = text;

  async function write(): Promise<void> {
    const text = latest.current;
    if (life.current.isOver || life.current.isLost || text === undefined || text === storedText.current) {
      return;
    }
    const body = JSON.parse(text);
    const known = stored.current;
    if (known === undefined) {
      stored.current = await storeDraft(company_id, body);
      // Both or neither: a draft that is not in the address is taken for one that the person has left.
      if (!life.current.isLeft && !life.current.isOver) {
        onBegin(stored.current.draftId);
        changeQuery({ draft: stored.current.draftId });
      }
    } else {
      const path = { company_id, draft_id: known.draftId };
      const { etag } = await askWithEtag(changeDraft, { path, body, headers: ifMatch(known.etag) });
      stored.current = { ...known, etag };
    }
    storedText.current = text;
  }

  /** One after the other: each one needs the ETag of the one before. */
  function save(): Promise<void> {
    const saving = queue.current.then(async () => {
      setState("saving");
      await write();
      setState("saved");
    });
    queue.current = saving.catch((error) => {
      if (!(error instanceof Problem)) throw error;
      life.current.isLost = isChangedMeanwhile(error) || error.code === "not_found";
      setState(life.current.isLost ? "changed" : "failed");
    });
    followChange(saving);
    return saving;
  }

  useEffect(() => {
    if (text === undefined || text === storedText.current || life.current.isLost) return;
    const timer = setTimeout(() => void save().catch(() => {}), SAVE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => () => {
    life.current.isLeft = true;
    if (latest.current !== storedText.current) void save().catch(() => {});
  }, []);

  return {
    state,
    keep() {
      life.current.isLost = false;
      stored.current = undefined;
      storedText.current = undefined;
      void save().catch(() => {});
    },
    async flush() {
      await save();
      return stored.current!.draftId;
    },
    async end() {
      life.current.isOver = true;
      await queue.current;
      if (stored.current) await dropDraft(company_id, stored.current.draftId).catch(() => {});
    },
  };
}
