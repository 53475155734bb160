import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, type Fetch } from "../client.ts";
import { company } from "../company.ts";
import { markAllOld, oldestShown, readAllShown, readOld } from "../entries.ts";
import { type CompanyEvent, followEvents, OutboundError } from "../sdk.ts";
import { endSession, sessionId } from "../session/session.ts";

/** The kinds of events of a company's stream. */
export type LiveKind = CompanyEvent["type"];

type Listener = (data: Record<string, unknown>) => void;

const isPaused = signal(false);
const isOpen = signal(false);
/** The API refused to send changes, so nothing reconnects by itself. */
const isRefused = signal(false);
const listeners = new Map<LiveKind, Set<Listener>>();

/** The state that the switch shows; `behind` while what is shown is older than the stream. */
export const liveState = computed<"live" | "behind" | "paused" | "refused" | "reconnecting">(() => {
  if (isPaused.value) return "paused";
  if (isRefused.value) return "refused";
  if (!isOpen.value) return "reconnecting";
  return oldestShown.value === undefined ? "live" : "behind";
});

/** Stops the stream, or goes on where it stopped, also after a refusal. */
export function toggleLive(): void {
  if (isRefused.value) isRefused.value = false;
  else isPaused.value = !isPaused.value;
}

/** Calls `listener` with each event of a kind while the part is on the page. */
export function useLive(kind: LiveKind, listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const known = listeners.get(kind) ?? new Set();
    const ours = (data: Record<string, unknown>) => latest.current(data);
    listeners.set(kind, known.add(ours));
    return () => known.delete(ours);
  }, [kind]);
}

/** Sees the requests of the stream, so that the switch says whether it is there. */
export function observeStream(fetch: Fetch): Fetch {
  return async (request) => {
    if (!new URL(request.url).pathname.endsWith("/events")) return await fetch(request);
    try {
      const response = await fetch(request);
      recordConnection(response.ok);
      return response;
    } catch (error) {
      recordConnection(false);
      throw error;
    }
  };
}

/** Data that was read while no changes came is read anew when they come again. */
function recordConnection(isThere: boolean): void {
  if (isThere === isOpen.peek()) return;
  isOpen.value = isThere;
  if (isThere) readOld();
  else markAllOld();
}

/** Follows the company that is shown with one stream per tab, whatever is on the page. */
export function followLive(): void {
  const companyOfStream = computed(() => sessionId.value && company.value?.company_id);
  let cursor: StreamCursor | undefined;
  effect(() => {
    const companyId = companyOfStream.value;
    if (!companyId || isPaused.value) return;
    if (cursor?.companyId !== companyId) {
      cursor = { companyId };
      isRefused.value = false;
    }
    if (isRefused.value) return;
    const leaving = new AbortController();
    void follow(cursor, leaving.signal);
    return () => leaving.abort();
  });
}

/** Where the stream of a company was left. */
interface StreamCursor {
  companyId: string;
  lastEventId?: string;
}

/** The SDK connects again by itself, from the last event on. */
async function follow(cursor: StreamCursor, signal: AbortSignal): Promise<void> {
  const isNew = cursor.lastEventId === undefined;
  const { companyId, ...from } = cursor;
  try {
    for await (const { type, data, id } of followEvents(api(), companyId, { ...from, signal })) {
      // Lists that were read before the stream began may be older than its beginning.
      if (type === "reset" || (type === "ready" && isNew)) readAllShown();
      else if (type !== "ready") listeners.get(type)?.forEach((listener) => listener(data));
      cursor.lastEventId = id;
    }
  } catch (error) {
    if (signal.aborted) return;
    recordConnection(false);
    if (error instanceof OutboundError && error.status === 401) endSession("expired");
    else isRefused.value = true;
  }
}
