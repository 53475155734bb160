import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ROLES } from "../../supabase/functions/_shared/access/roles.ts";
import { type Manage, withManage } from "../manage/with_manage.ts";
import { closeServer } from "../setup/close_server.ts";
import { insertMember } from "../setup/fixtures.ts";
import { BASE_PATH, type JsonObject } from "../setup/http.ts";
import { insertSendingCompany, type SendingCompany } from "../setup/queue.ts";
import type { TestServicesOptions } from "../setup/services.ts";

/** The result of a tool: what it returned, or the refusal. */
export interface ToolAnswer {
  isError: boolean;
  body: JsonObject;
}

/** A tool as the server lists it. */
export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  annotations?: Record<string, boolean | string>;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
}

/** An agent, connected with the official client. */
export interface ConnectedAgent {
  client: Client;
  tools: ListedTool[];
  use(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** The service on a socket, and a company that can send, with a member of each role. */
export interface Mcp extends Omit<Manage, "company"> {
  url: string;
  company: SendingCompany;
  /** Connects an agent that sends a token or key, and `query` in the server's URL. */
  connect(token: string, query?: Record<string, string>): Promise<ConnectedAgent>;
}

export async function withMcp(
  fn: (t: Mcp) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    for (const role of ROLES) await insertMember(t.sql, company.id, t.members[role].userId, role);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, info) => t.app.fetch(request, info),
    );
    const url = `http://127.0.0.1:${server.addr.port}${BASE_PATH}/mcp`;
    const clients: Client[] = [];
    try {
      await fn({
        ...t,
        url,
        company,
        async connect(token, query = {}) {
          const client = await connectTo(url, token, query);
          clients.push(client);
          // From here on the client checks every result against the schema of its tool.
          const { tools } = await client.listTools() as { tools: ListedTool[] };
          return { client, tools, use: (tool, args) => useTool(client, tool, args) };
        },
      });
    } finally {
      for (const client of clients) await client.close();
      await closeServer(server);
    }
  }, options);
}

async function connectTo(url: string, token: string, query: Record<string, string>): Promise<Client> {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  // Its `sessionId` is optional, which the interface that it implements does not allow with exact types.
  const transport = new StreamableHTTPClientTransport(target, { requestInit: { headers } });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

async function useTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args }) as CallToolResult;
  const [content] = result.content;
  assert.ok(content?.type === "text" && result.content.length === 1);
  const body = JSON.parse(content.text);
  if (!result.isError) assert.deepEqual(result.structuredContent, body);
  return { isError: result.isError ?? false, body };
}
