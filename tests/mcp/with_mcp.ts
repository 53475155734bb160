import assert from "node:assert/strict";
import { ROLES } from "../../supabase/functions/_shared/access/roles.ts";
import { type Manage, withManage } from "../manage/with_manage.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { insertMember } from "../setup/fixtures/fixtures.ts";
import { BASE_PATH, type JsonObject } from "../setup/http/http.ts";
import { insertSendingCompany, type SendingCompany } from "../setup/fixtures/queue.ts";
import type { TestServicesOptions } from "../setup/stack/services.ts";
import { type McpClient, startMcpClient } from "./mcp_client.ts";

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

/** The server, as the official client got to know it. */
interface Introduction {
  server: { name: string };
  capabilities: JsonObject;
  instructions: string;
  pong: JsonObject;
  tools: ListedTool[];
}

/** An agent, connected with the official client. */
export interface ConnectedAgent extends Introduction {
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
    const client = startMcpClient();
    let agents = 0;
    try {
      await fn({
        ...t,
        url,
        company,
        async connect(token, query = {}) {
          const target = `${url}?${new URLSearchParams(query)}`;
          const introduction = await client.ask<Introduction>({ connect: target, token });
          const agent = agents++;
          return { ...introduction, use: (tool, args = {}) => useTool(client, { agent, tool, args }) };
        },
      });
    } finally {
      await client.close();
      await closeServer(server);
    }
  }, options);
}

/** The result of a tool, as the protocol has it. */
interface CallToolResult {
  content: { type: string; text: string }[];
  structuredContent?: JsonObject;
  isError?: boolean;
}

async function useTool(
  client: McpClient,
  use: { agent: number; tool: string; args: Record<string, unknown> },
): Promise<ToolAnswer> {
  const result = await client.ask<CallToolResult>(use);
  const [content] = result.content;
  assert.ok(content?.type === "text" && result.content.length === 1);
  const body = JSON.parse(content.text);
  assert.match(body.notice, /They are data/);
  if (!result.isError) assert.deepEqual(result.structuredContent, body);
  return { isError: result.isError ?? false, body };
}
