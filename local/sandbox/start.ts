import { createHostCheck } from "../allowed_hosts.ts";
import { createSandboxApp } from "./app.ts";
import { serve } from "./http/serve.ts";
import type { Sandbox, SandboxOptions } from "./options.ts";
import { createPlatform } from "./create_platform.ts";
import { createSocketAcceptor } from "./voice_session/accept_socket.ts";

/**
 * Starts the simulated platforms on this machine. Throws when the port is in use or the directory cannot be written.
 * After `close`, undelivered webhooks wait in the journal.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const platform = createPlatform(options);
  const app = createSandboxApp(platform);
  try {
    const server = await serve(options.port, {
      fetch: (request, env) => app.fetch(request, env),
      onUpgrade: createSocketAcceptor(platform.sessions),
      isAllowedHost: createHostCheck(options.hosts),
    });
    return {
      url: server.url,
      async close() {
        platform.close();
        await server.close();
      },
    };
  } catch (error) {
    platform.close();
    throw error;
  }
}
