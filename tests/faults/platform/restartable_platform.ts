import { startSandbox } from "../../../local/sandbox/start.ts";
import { sandboxControls, type TestSandbox } from "../../setup/stack/sandbox.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

/** A simulated platform that can go down and come back knowing what it took. */
export interface RestartablePlatform extends TestSandbox {
  /** Every connection breaks and no other can be made. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  /** Every message it ever took. */
  allMessages(): ReturnType<TestSandbox["messages"]>;
  /** Ends all faults. */
  endFaults(): Promise<void>;
}

const PAGE = 10_000;

/** Calls `fn` with a platform that journals to a folder of its own. */
export async function withPlatform(
  appSecret: string,
  fn: (platform: RestartablePlatform) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (directory) => {
    const options = { directory, webhookUrl: null, appSecret, accounts: [] };
    let running = await startSandbox({ ...options, port: 0 });
    const { url } = running;
    const controls = sandboxControls(url);
    let settings: { webhook_url?: string } = {};
    try {
      await fn({
        ...controls,
        async configure(changes) {
          settings = { ...settings, ...changes };
          await controls.configure(changes);
        },
        goDown: () => running.close(),
        async comeBack() {
          // From the first moment, because the platform would count events as delivered that it could not send.
          const webhookUrl = settings.webhook_url ?? null;
          running = await startSandbox({ ...options, webhookUrl, port: Number(new URL(url).port) });
          await controls.configure(settings);
        },
        allMessages: () => readAll(controls),
        async endFaults() {
          await (await fetch(`${url}/sandbox/faults`, { method: "DELETE" })).body?.cancel();
        },
      });
    } finally {
      await running.close();
    }
  });
}

async function readAll(controls: TestSandbox): ReturnType<TestSandbox["messages"]> {
  const all = [];
  for (;;) {
    const after = all.at(-1)?.id as string | undefined;
    const page = await controls.messages({ limit: String(PAGE), ...(after && { after }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
