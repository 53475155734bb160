import { freePort } from "../setup/database/postgres_cluster.ts";
import { findBinary } from "../setup/find_binary.ts";
import { serveProgram } from "../setup/serve_program.ts";

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
  const program = { binary, folder, env: { LIVEKIT_CONFIG: config }, url };
  let end = await serveProgram(program);
  return {
    url,
    kill: () => end("SIGKILL"),
    async restart() {
      end = await serveProgram(program);
    },
    async close() {
      await end("SIGKILL");
      await Deno.remove(folder, { recursive: true });
    },
  };
}
