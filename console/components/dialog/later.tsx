import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../data/problem.ts";
import { attempt } from "./toast.tsx";

/**
 * Makes a dialog whose file is loaded when it is first opened, so that no screen loads what waits for a press. Where the file
 * cannot be loaded, a toast says so, and the dialog counts as closed.
 */
export function later<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  return function Later(props: Props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props>>();
    useEffect(() => {
      void attempt(() => load().catch(() => Promise.reject(new Problem("page_error", ""))))
        .then((component) => component ? setLoaded(() => component) : props.onClose());
    }, []);
    return Loaded ? <Loaded {...props} /> : null;
  };
}
