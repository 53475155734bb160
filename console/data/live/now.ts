import { useEffect, useState } from "preact/hooks";

/** Returns the time in milliseconds since 1970, and shows the part again every `ms`: for waits and countdowns. */
export function useNow(ms = 10_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
}
