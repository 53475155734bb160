/**
 * The official client of the Model Context Protocol, for tests: each line on stdin asks for something, and gets a line of
 * JSON on stdout. Ends with its stdin.
 *
 * @module
 */
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import process from "node:process";
import { createInterface } from "node:readline";
import type { McpAsked } from "./mcp_message.ts";

const clients: Client[] = [];

async function connect(url: string, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  return await enter(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

async function enter(transport: StreamableHTTPClientTransport): Promise<unknown> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
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

/** An assistant that keeps what OAuth gives it in memory. */
function memoryProvider(redirectUrl: string) {
  const kept: {
    app?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    verifier?: string;
    discovery?: OAuthDiscoveryState;
  } = {};
  const found: { leads_to?: string } = {};
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "Test assistant",
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.app,
    saveClientInformation: (app) => void (kept.app = app),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (found.leads_to = url.href),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    saveDiscoveryState: (discovery) => void (kept.discovery = discovery),
    discoveryState: () => kept.discovery,
  };
  return { provider, found, kept };
}

let waiting: { url: URL; memory: ReturnType<typeof memoryProvider> };

/** Returns where the browser of the person has to go, as the server's 401 leads there. */
async function knock(url: URL, redirectUrl: string): Promise<unknown> {
  const memory = memoryProvider(redirectUrl);
  try {
    await enter(new StreamableHTTPClientTransport(url, { authProvider: memory.provider }));
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  waiting = { url, memory };
  return memory.found;
}

async function comeIn(code: string): Promise<unknown> {
  const { url, memory: { provider, kept } } = waiting;
  await new StreamableHTTPClientTransport(url, { authProvider: provider }).finishAuth(code);
  const introduction = await enter(new StreamableHTTPClientTransport(url, { authProvider: provider }));
  return { ...introduction as object, tokens: kept.tokens, client_id: kept.app?.client_id };
}

async function respond(asked: McpAsked): Promise<unknown> {
  if ("connect" in asked) return await connect(asked.connect, asked.token);
  if ("knock" in asked) return await knock(new URL(asked.knock), asked.redirectUrl);
  if ("code" in asked) return await comeIn(asked.code);
  return await clients[asked.agent]!.callTool({ name: asked.tool, arguments: asked.args });
}

for await (const line of createInterface({ input: process.stdin })) {
  const returned = await respond(JSON.parse(line));
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(returned)}\n`));
}
for (const client of clients) await client.close();
