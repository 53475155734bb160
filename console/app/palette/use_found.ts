import { useEffect, useState } from "preact/hooks";
import { isAbort } from "../../data/client.ts";
import { isTest } from "../../data/company.ts";
import { Problem } from "../../data/problem.ts";
import type { Command } from "./commands.ts";
import { FINDERS, type Kind, KINDS } from "./finders.ts";

/** Long enough to type on, short enough to seem immediate. */
const TYPING_MS = 200;

/** The API refuses longer ones. */
const MAX_LENGTH = 100;

/** The things that were found so far, by kind. */
export interface Found {
  found: Partial<Record<Kind, Command[]>>;
  isSearching: boolean;
  problem: Problem | undefined;
}

const NOTHING: Found = { found: {}, isSearching: false, problem: undefined };

/** Searches for what was typed: one request for each kind, which ends when more is typed. */
export function useFound(typed: string): Found {
  const [state, setState] = useState<Found>(NOTHING);
  const text = typed.trim().slice(0, MAX_LENGTH);
  useEffect(() => {
    const kinds = KINDS.filter((kind) =>
      text.length >= FINDERS[kind].minLength && !(FINDERS[kind].isOfLive && isTest())
    );
    if (kinds.length === 0) return setState(NOTHING);
    const leaving = new AbortController();
    const change = (to: (known: Found) => Partial<Found>) =>
      !leaving.signal.aborted && setState((known) => ({ ...known, ...to(known) }));

    async function search(kind: Kind): Promise<void> {
      try {
        const commands = await FINDERS[kind].find(text, leaving.signal);
        change(({ found }) => ({ found: { ...found, [kind]: commands } }));
      } catch (error) {
        if (isAbort(error)) return;
        if (!(error instanceof Problem)) throw error;
        change(() => ({ problem: error }));
      }
    }

    setState({ ...NOTHING, isSearching: true });
    const timer = setTimeout(
      () => void Promise.all(kinds.map(search)).then(() => change(() => ({ isSearching: false }))),
      TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text]);
  return state;
}
