import { useEffect, useRef } from "preact/hooks";

/**
 * Returns a function that calls `act` at once, and then at most every `ms` however often it is called: for readings
 * that follow events.
 */
export function useThrottle(act: () => void, ms: number): () => void {
  const latest = useRef(act);
  latest.current = act;
  const state = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; calledAt: number }>({
    timer: undefined,
    calledAt: 0,
  });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return () => {
    const { timer, calledAt } = state.current;
    if (timer !== undefined) return;
    state.current.timer = setTimeout(() => {
      state.current = { timer: undefined, calledAt: Date.now() };
      latest.current();
    }, Math.max(0, calledAt + ms - Date.now()));
  };
}
