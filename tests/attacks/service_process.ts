import { fileURLToPath } from "node:url";
import { taskCommand } from "../../cli/service/task_command.ts";
import { eventually } from "../setup/eventually.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";

/** Signs the messaging platform's events for the attacked service. */
export const APP_SECRET = "attacked-app-secret";

/** `deno task serve` in a process of its own, so that its memory is measured apart from the attacker's. */
export interface ServiceProcess {
  port: number;
  /** Ends in `/functions/v1`. */
  baseUrl: string;
  /** Resident memory, in MiB. */
  memoryMib(): Promise<number>;
}

const END_WITH_PARENT = fileURLToPath(new URL("../faults/dispatchers/end_with_parent.ts", import.meta.url));

/**
 * Calls `fn` with the service on the given database, behind one trusted proxy.
 *
 * @param settings over those of a service without log-ins
 */
export async function withServiceProcess(
  databaseUrl: string,
  fn: (service: ServiceProcess) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  const port = freePort();
  const origin = `http://127.0.0.1:${port}`;
  const [path, ...args] = taskCommand("serve", { flags: ["--preload", END_WITH_PARENT] });
  const child = new Deno.Command(path!, {
    args,
    env: {
      DATABASE_URL: databaseUrl,
      OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
      SUPABASE_URL: "http://127.0.0.1:9",
      SUPABASE_PUBLISHABLE_KEY: "unused",
      WHATSAPP_API_URL: "http://127.0.0.1:9",
      WHATSAPP_APP_SECRET: APP_SECRET,
      WHATSAPP_VERIFY_TOKEN: "unused",
      ELEVENLABS_API_URL: "http://127.0.0.1:9",
      ELEVENLABS_API_KEY: "unused",
      ELEVENLABS_WEBHOOK_SECRET: "attacked-voice-secret",
      OUTBOUND_PUBLIC_URL: origin,
      OUTBOUND_TRUSTED_PROXIES: "1",
      OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true",
      PORT: String(port),
      OUTBOUND_LOG_LEVEL: "error",
      ...settings,
    },
    stdin: "null",
    stdout: "null",
  }).spawn();
  try {
    const baseUrl = `${origin}/functions/v1`;
    await eventually(async () => {
      const response = await fetch(`${baseUrl}/health`);
      await response.body?.cancel();
    }, 30_000);
    await fn({ port, baseUrl, memoryMib: () => memoryMib(child.pid) });
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function memoryMib(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}
