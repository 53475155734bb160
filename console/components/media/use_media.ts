import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../data/problem.ts";
import { type MediaFile, readMedia } from "./media_file.ts";

/** How far outside the view a file begins to load. */
const MARGIN = "300px";

/** A file that is loaded, or why it cannot be. */
export interface LoadedMedia {
  blob: Blob | undefined;
  /** For `src`; it ends with the part of the page. */
  address: string | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  load(): Promise<Blob | undefined>;
}

/** Loads a file when it is asked for. */
export function useMedia(file: MediaFile): LoadedMedia {
  const [blob, setBlob] = useState<Blob>();
  const [address, setAddress] = useState<string>();
  const [problem, setProblem] = useState<Problem>();
  const [isLoading, setLoading] = useState(false);

  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);

  async function load(): Promise<Blob | undefined> {
    setProblem(undefined);
    setLoading(true);
    try {
      const read = await readMedia(file);
      setBlob(read);
      return read;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setLoading(false);
    }
  }

  return { blob, address, problem, isLoading, load };
}

/** Calls `act` once the element comes near the view. */
export function useNearView(element: RefObject<Element | null>, act: () => void): void {
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      act();
      // A conversation scrolls in a box of its own, to which the margin of the window does not apply.
    }, { rootMargin: MARGIN, scrollMargin: MARGIN });
    watcher.observe(element.current!);
    return () => watcher.disconnect();
  }, []);
}
