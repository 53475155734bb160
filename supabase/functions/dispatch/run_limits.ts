/**
 * Waiting takes processor time too: claims that find one message, chores. At ten messages per second a second of a run
 * takes some 70 ms.
 */
const MAX_RUN_MS = 10_000;

/** Ends one run in time, whatever it does. */
export interface RunLimits {
  /** Aborts when the time of a run is over, or when the runtime announces that it will end the worker. */
  signal: AbortSignal;
  /** The reason of the abort: `time`, or the runtime's reason (`cpu`, `memory`, `wall_clock`, …). */
  reason(): string;
  /** Must be called when the run has ended. */
  stop(): void;
}

/**
 * Starts to watch a run. Supabase's runtime dispatches `beforeunload` when a worker has used up nine tenths of its
 * processor time, memory or time; how much is left before that, it does not show.
 */
export function startRunLimits(): RunLimits {
  const controller = new AbortController();
  let reason = "time";
  const onAnnounced: EventListener = (event) => {
    reason = announcedReason(event);
    controller.abort();
  };
  const timer = setTimeout(() => controller.abort(), MAX_RUN_MS);
  addEventListener("beforeunload", onAnnounced);
  return {
    signal: controller.signal,
    reason: () => reason,
    stop() {
      clearTimeout(timer);
      removeEventListener("beforeunload", onAnnounced);
    },
  };
}

function announcedReason(event: unknown): string {
  const { detail } = event as { detail?: { reason?: unknown } | null };
  return typeof detail?.reason === "string" ? detail.reason : "worker_ends";
}
