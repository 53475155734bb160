import { render } from "preact";
import { arrival, takeArrival } from "../data/session/arrival.ts";
import { openClient } from "../data/client.ts";
import { followSession } from "../data/company.ts";
import { readConfig } from "../data/config.ts";
import { watchIdle } from "../data/session/idle.ts";
import { followClicks } from "../data/live/desktop_notices.ts";
import { followLive, observeStream } from "../data/live/live.ts";
import { route } from "../data/route.ts";
import { Problem } from "../data/problem.ts";
import { session } from "../data/session/session.ts";
import { askForSession, currentToken, followTokens, tokenAfter } from "../data/session/tokens.ts";
import { confirmDiscard } from "../components/form/form.tsx";
import { askBeforeLeaving } from "../data/unsaved.ts";
import { loadWords } from "../i18n/words.ts";
import { ErrorNotice } from "../components/error_notice.tsx";
import { App } from "./app.tsx";
import { loadScreen } from "./screen_view.tsx";
import { findScreen } from "./screens.ts";
import { listenToKeys } from "./shortcuts.ts";
import { showTextsAsTheyAre } from "./show_texts.ts";

async function start(root: HTMLElement): Promise<void> {
  showTextsAsTheyAre();
  takeArrival();
  if (session.value) loadFirstScreen(route.value.path);
  const mayJoin = () => session.peek() === undefined && arrival.peek() === undefined;
  const [config, texts] = await Promise.allSettled([
    readConfig(),
    loadWords(),
    mayJoin() ? askForSession() : undefined,
  ]);
  if (texts.status === "rejected") throw texts.reason;
  if (config.status === "rejected") {
    reportError(config.reason);
    const problem = new Problem("page_error", "");
    return render(<ErrorNotice problem={problem} onRetry={() => location.reload()} />, root);
  }
  openClient(config.value.apiUrl, {
    token: currentToken,
    tokenAfter,
    observe: observeStream,
    isSandbox: config.value.isSandbox,
  });
  followTokens(mayJoin);
  watchIdle();
  followSession();
  followLive();
  followClicks();
  listenToKeys();
  askBeforeLeaving(confirmDiscard);
  render(<App />, root);
}

/** Loads the file of the screen while the configuration and the companies are read. */
function loadFirstScreen([, ...path]: string[]): void {
  const found = findScreen(path.length === 0 ? ["overview"] : path);
  // The screen itself says that its file cannot be loaded.
  if (found) loadScreen(found.screen).catch(() => {});
}

await start(document.getElementById("root")!);
