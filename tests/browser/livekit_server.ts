import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../setup/database/postgres_cluster.ts";
import { eventually } from "../setup/eventually.ts";
import { findBinary } from "../setup/find_binary.ts";
import { machineEnv } from "../setup/machine_env.ts";

/** The key that the servers of tests know. */
export const LIVEKIT = { apiKey: "devkey", apiSecret: "a-secret-of-thirty-two-characters" };

/** A LiveKit server, as companies run it, in a process of its own. */
export interface LiveKitServer {
  url: string;
  /** Ends it at once, as a machine that fails does. */
  kill(): Promise<void>;
  /** Starts it again where it was; it has forgotten its rooms. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one; undefined where there is no program `livekit-server`. */
export async function startLiveKit(): Promise<LiveKitServer | undefined> {
  const binary = await findBinary("livekit-server");
  if (binary === undefined) return undefined;
  const folder = await Deno.makeTempDir({ prefix: "outbound-test-" });
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = JSON.stringify({
    port,
    bind_addresses: ["127.0.0.1"],
    keys: { [LIVEKIT.apiKey]: LIVEKIT.apiSecret },
    rtc: {
      node_ip: "127.0.0.1",
      tcp_port: freePort(),
      udp_port: freePort(),
      enable_loopback_candidate: true,
    },
  });
  let end = await serve(binary, { folder, config, url });
  return {
    url,
    kill: () => end("SIGKILL"),
    async restart() {
      end = await serve(binary, { folder, config, url });
    },
    async close() {
      await end("SIGKILL");
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Returns the function that ends it. */
async function serve(
  binary: string,
  { folder, config, url }: { folder: string; config: string; url: string },
): Promise<(signal: Deno.Signal) => Promise<void>> {
  const log = join(folder, "log");
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", 'exec "$1" >"$2" 2>&1', "sh", binary, log],
    clearEnv: true,
    env: { ...machineEnv(), LIVEKIT_CONFIG: config },
    stdin: "null",
  }).spawn();
  const ended = child.status;
  let isRunning = true;
  void ended.then(() => isRunning = false);
  const end = async (signal: Deno.Signal) => {
    if (isRunning) child.kill(signal);
    await ended;
  };
  try {
    await eventually(async () => {
      const response = await fetch(url);
      await response.body?.cancel();
      assert.ok(response.ok);
    }, 60_000);
  } catch (cause) {
    await end("SIGKILL");
    throw new Error(`LiveKit did not start: ${(await Deno.readTextFile(log)).slice(-2000)}`, { cause });
  }
  return end;
}
