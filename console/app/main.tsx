import { render } from "preact";
import { takeArrival } from "../data/arrival.ts";
import { openClient } from "../data/client.ts";
import { followSession } from "../data/company.ts";
import { readConfig } from "../data/config.ts";
import { watchIdle } from "../data/idle.ts";
import { followLive, observeStream } from "../data/live.ts";
import { Problem } from "../data/problem.ts";
import { ErrorNotice } from "../parts/error_notice.tsx";
import { App } from "./app.tsx";
import { listenToKeys } from "./shortcuts.ts";

async function start(root: HTMLElement): Promise<void> {
  takeArrival();
  try {
    openClient((await readConfig()).apiUrl, observeStream);
  } catch (error) {
    reportError(error);
    const problem = new Problem("page_error", "");
    return render(<ErrorNotice problem={problem} onRetry={() => location.reload()} />, root);
  }
  followSession();
  followLive();
  watchIdle();
  listenToKeys();
  render(<App />, root);
}

await start(document.getElementById("root")!);
