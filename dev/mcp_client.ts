/**
 * The official client of the Model Context Protocol, for tests: each line on stdin asks for something, and gets a line of
 * JSON on stdout. Ends with its stdin.
 *
 * @module
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import process from "node:process";
import { createInterface } from "node:readline";
import type { McpAsked } from "./mcp_message.ts";

const clients: Client[] = [];

async function connect(url: string, token: string): Promise<unknown> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  clients.push(client);
  return {
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    pong: await client.ping(),
    // From here on the client checks every result against the schema of its tool.
    tools: (await client.listTools()).tools,
  };
}

async function respond(asked: McpAsked): Promise<unknown> {
  if ("connect" in asked) return await connect(asked.connect, asked.token);
  return await clients[asked.agent]!.callTool({ name: asked.tool, arguments: asked.args });
}

for await (const line of createInterface({ input: process.stdin })) {
  const returned = await respond(JSON.parse(line));
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(returned)}\n`));
}
for (const client of clients) await client.close();
