import type { Store } from "../shared/store.ts";

/** A message of the company's that the page shows beside the button by itself. */
export interface ProactiveMessage {
  text: string;
  /** Of the page; `*` is any text. */
  path: string;
  /** After the page was loaded. */
  delayS: number;
}

/** Reads the messages of a look and leaves out invalid ones. */
export function parseProactive(value: unknown): ProactiveMessage[] {
  return (Array.isArray(value) ? value : []).flatMap(({ text, path, delay_s: delayS }) =>
    typeof text === "string" && typeof path === "string" && delayS >= 0 ? [{ text, path, delayS }] : []
  );
}

/** Returns whether a path fits a pattern, in which `*` is any text. Takes time in proportion to both. */
export function fitsPath(pattern: string, path: string): boolean {
  const [start = "", ...parts] = pattern.split("*");
  if (parts.length === 0) return pattern === path;
  const end = parts.pop()!;
  let from = start.length;
  if (!path.startsWith(start)) return false;
  for (const part of parts) {
    const found = path.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return path.length - end.length >= from && path.endsWith(end);
}

const DAY = "greeted_on";

export interface Proactive {
  /** Begins anew with these messages. */
  plan(messages: ProactiveMessage[]): void;
  /** Shows none for the rest of the visitor's day. */
  rest(): void;
  stop(): void;
}

/**
 * Calls `onShow` with the first message that fits the page once its time has come, at most once per visitor and day. The
 * path counts as it is then, because some pages change it without being loaded again.
 */
export function createProactive(store: Store, onShow: (text: string) => void): Proactive {
  const loadedAt = Date.now();
  const today = () => new Date().toDateString();
  let timers: ReturnType<typeof setTimeout>[] = [];

  function stop(): void {
    timers.forEach(clearTimeout);
    timers = [];
  }

  function rest(): void {
    stop();
    store.set(DAY, today());
  }

  function show({ text, path }: ProactiveMessage): void {
    if (store.get(DAY) === today() || !fitsPath(path, location.pathname)) return;
    rest();
    onShow(text);
  }

  return {
    plan(messages) {
      stop();
      timers = messages.map((message) =>
        setTimeout(() => show(message), message.delayS * 1000 + loadedAt - Date.now())
      );
    },
    rest,
    stop,
  };
}
