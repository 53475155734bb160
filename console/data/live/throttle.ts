import { useEffect, useRef } from "preact/hooks";

/**
 * Returns a function that calls `act` at once, and then at most every `ms` however often it is called: for readings
 * that follow events.
 *
 * @param delay how long after each call `act` is called, in milliseconds: for what is known so much later
 */
export function useThrottle(act: () => void, ms: number, delay = 0): () => void {
  const latest = useRef(act);
  latest.current = act;
  const state = useRef<{ timer?: ReturnType<typeof setTimeout>; calledAt: number; isCalled?: boolean }>({
    calledAt: 0,
  });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  function call(): void {
    const { timer, calledAt } = state.current;
    if (timer !== undefined) {
      state.current.isCalled = true;
      return;
    }
    state.current.timer = setTimeout(() => {
      const { isCalled } = state.current;
      state.current = { calledAt: Date.now() };
      latest.current();
      if (isCalled && delay > 0) call();
    }, Math.max(delay, calledAt + ms - Date.now()));
  }
  return call;
}
