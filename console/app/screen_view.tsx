import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../data/problem.ts";
import { ErrorNotice } from "../components/error_notice.tsx";
import type { Params, Part } from "./screens.ts";
import { words } from "../i18n/words.ts";

const loaded = new Map<Part, ComponentType<{ params: Params }>>();

/** Loads a screen's file, once. */
export async function loadScreen(screen: Part): Promise<void> {
  if (!loaded.has(screen)) loaded.set(screen, (await screen.load()).default);
}

/** Loads a screen's file when it is first shown, and shows the screen. */
export function ScreenView({ screen, params = {} }: { screen: Part; params?: Params }) {
  const [problem, setProblem] = useState<Problem>();
  const [, show] = useState(0);
  const Component = loaded.get(screen);
  useEffect(() => {
    if (Component) return;
    loadScreen(screen).then(
      () => show((turn) => turn + 1),
      // After a new release, files of the old one may be gone.
      () => setProblem(new Problem("page_error", "")),
    );
  }, [screen]);
  if (problem) return <ErrorNotice problem={problem} onRetry={() => location.reload()} />;
  return Component
    ? <Component params={params} />
    : <p class="loading" role="status">{words().common.loading}</p>;
}
