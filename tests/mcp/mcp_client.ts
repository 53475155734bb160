import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { devProgram } from "../../cli/dev_program.ts";
import type { McpAsked } from "../../dev/mcp_message.ts";

/** The official client of the protocol, in a process with packages of its own. */
export interface McpClient {
  ask<Returned>(asked: McpAsked): Promise<Returned>;
  close(): Promise<void>;
}

/** Starts a client, which connects to as many servers as it is asked to. */
export function startMcpClient(): McpClient {
  const program = devProgram("mcp_client.ts", { stderr: "inherit" }).spawn();
  const writer = program.stdin.getWriter();
  const lines = createInterface({ input: Readable.fromWeb(program.stdout as never) })[Symbol.asyncIterator]();
  return {
    async ask(asked) {
      await writer.write(new TextEncoder().encode(`${JSON.stringify(asked)}\n`));
      const { value, done } = await lines.next();
      if (done) throw new Error("dev/mcp_client.ts ended");
      return JSON.parse(value);
    },
    async close() {
      await writer.close().catch(() => {});
      await lines.return?.();
      await program.status;
    },
  };
}
