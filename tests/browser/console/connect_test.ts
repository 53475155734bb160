import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type McpClient, startMcpClient } from "../../mcp/mcp_client.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { shareConsole } from "./console_page.ts";
import type { WidgetStack } from "../widget_stack.ts";

const test = shareConsole();

/** Where an assistant waits for the browser that it sent away. */
interface Assistant {
  client: McpClient;
  /** Asks to come in, and returns where the browser has to go. */
  knock(): Promise<string>;
  /** The query with which the browser comes back. */
  back(page: Page): Promise<URLSearchParams>;
}

async function withAssistant(
  { apiUrl }: WidgetStack,
  fn: (assistant: Assistant) => Promise<void>,
): Promise<void> {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response("<!doctype html><link rel=icon href=data:,><title>Assistant</title>Back", {
        headers: HTML,
      }),
  );
  const redirectUrl = `http://127.0.0.1:${server.addr.port}/callback`;
  const client = startMcpClient();
  try {
    await fn({
      client,
      async knock() {
        const { leads_to } = await client.ask<{ leads_to: string }>({ knock: `${apiUrl}/mcp`, redirectUrl });
        return leads_to;
      },
      async back(page) {
        await page.waitForURL(`${redirectUrl}?**`);
        return new URL(page.url()).searchParams;
      },
    });
  } finally {
    await client.close();
    await closeServer(server);
  }
}

const HTML = { "Content-Type": "text/html" };

interface CameIn {
  tools: { name: string }[];
  tokens: { access_token: string; refresh_token: string };
  client_id: string;
}

async function logInAt(page: Page, { demo }: WidgetStack): Promise<void> {
  await page.getByLabel("E-mail").fill(demo.email);
  await page.getByLabel("Password").fill(demo.password);
  await page.getByRole("button", { name: "Log in" }).click();
}

Deno.test(
  test(
    "console: a member lets an assistant in, which then uses the tools and reaches nothing else",
    async (stack, { page }) => {
      await withAssistant(stack, async ({ client, knock, back }) => {
        await page.goto(await knock());
        await logInAt(page, stack);
        await page.getByRole("heading", { name: "Let “Test assistant” in?" }).waitFor();
        await page.getByText(stack.demo.email).waitFor();
        await page.getByText(/This access goes to 127\.0\.0\.1:\d+/).waitFor();
        await page.screenshot({ path: "artifacts/console-connect.png" });
        await page.getByRole("button", { name: "Accept" }).click();
        const code = (await back(page)).get("code")!;

        const { tools, tokens, client_id } = await client.ask<CameIn>({ code });
        assert.ok(tools.some(({ name }) => name === "list_campaigns"));
        const listed = await client.ask<{ isError?: boolean; structuredContent: JsonObject }>({
          agent: 0,
          tool: "list_campaigns",
          args: { company_id: stack.demo.company_id },
        });
        assert.ok(
          !listed.isError && Array.isArray(listed.structuredContent.campaigns),
          JSON.stringify(listed),
        );

        const statusOf = async (path: string, init: RequestInit = {}) => {
          const response = await fetch(`${stack.apiUrl}${path}`, init);
          await response.body?.cancel();
          return response.status;
        };
        const headers = {
          Authorization: `Bearer ${tokens.access_token}`,
          "Content-Type": "application/json",
        };
        for (const path of ["/manage/companies", "/auth/factors", "/manage/invitations"]) {
          assert.equal(await statusOf(path, { headers }), 401, path);
        }
        const refresh = { refresh_token: tokens.refresh_token };
        const body = JSON.stringify(refresh);
        assert.equal(await statusOf("/auth/refresh", { method: "POST", headers: JSON_TYPE, body }), 401);
        // A code, and a refresh token of another app, open nothing.
        const reused = await fetch(await tokenUrl(stack), {
          method: "POST",
          body: new URLSearchParams({
            grant_type: "authorization_code",
            code,
            client_id,
            code_verifier: "x",
          }),
        });
        assert.equal((await reused.json()).error, "invalid_grant");
        const stolen = await fetch(await tokenUrl(stack), {
          method: "POST",
          body: new URLSearchParams({
            ...refresh,
            grant_type: "refresh_token",
            client_id: crypto.randomUUID(),
          }),
        });
        assert.equal((await stolen.json()).error, "invalid_grant");
      });
    },
  ),
);

const JSON_TYPE = { "Content-Type": "application/json" };

async function tokenUrl({ apiUrl }: WidgetStack): Promise<string> {
  const resource = await (await fetch(`${apiUrl}/mcp/.well-known/oauth-protected-resource`)).json();
  const [issuer] = resource.authorization_servers;
  return (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()).token_endpoint;
}

Deno.test(
  test(
    "console: a member who refuses an assistant sends it away, and a request decides once",
    async (stack, { page }) => {
      await withAssistant(stack, async ({ knock, back }) => {
        await page.goto(await knock());
        await logInAt(page, stack);
        const refuse = page.getByRole("button", { name: "Decline" });
        await refuse.waitFor();
        const asked = page.url();
        await refuse.click();
        assert.equal((await back(page)).get("error"), "access_denied");

        await page.goto(asked);
        await page.getByRole("heading", { name: "This link is not valid any more" }).waitFor();
      });
    },
    { mayComplain: true },
  ),
);
