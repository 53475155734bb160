import { z } from "@hono/zod-openapi";
import { checkQuery } from "../_shared/check_fields.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses, errorSchema } from "../_shared/http/app/error_responses.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { identifyCaller } from "../_shared/http/guards/company_caller.ts";
import { refuseForeignOrigin } from "./refuse_foreign_origin.ts";

/** Codes of JSON-RPC. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

const querySchema = z.object({
  company_id: z.guid({ error: "the id of a company" }).optional().openapi({
    description:
      "The company that the tools are about, for a user of several; no tool reaches another one then",
  }),
  write: z.literal("1", { error: "1" }).optional().openapi({
    description: "Adds the tools that change something",
  }),
});

/** Of a message, as its sender chose it. */
const idSchema = z.union([z.string(), z.number()]);

const messageSchema = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: idSchema.optional(),
  method: z.string().openapi({
    description: "`initialize`, `ping`, `tools/list`, `tools/call` or a notification",
  }),
}).openapi("McpRequest");

const responseSchema = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]),
}).openapi("McpResponse");

const faultSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.null().openapi({ type: ["string", "null"] }),
  error: z.object({ code: z.number().int(), message: z.string() }),
}).openapi("McpFault");

const route: ApiRoute = {
  method: "post",
  path: "/mcp",
  operationId: "useTools",
  summary: "Use the tools for AI agents",
  description: "One message of the Model Context Protocol (streamable HTTP, without sessions).",
  // Each tool has an effect of its own.
  "x-effect": "reads",
  tags: ["Agents"],
  security: [{ userToken: [] }, { accessKey: [] }],
  request: {
    query: querySchema,
    body: jsonBody(messageSchema, { jsonrpc: "2.0", id: 1, method: "tools/list" }),
  },
  responses: {
    ...errorResponses([400, 401, 403, 413, 429, 502], [403]),
    200: {
      description: "The response to a request. A tool that fails responds with `isError`",
      ...json(responseSchema, { jsonrpc: "2.0", id: 1, result: { tools: [] } }),
    },
    202: { description: "A notification was taken" },
    400: {
      description: "No message of the protocol (JSON-RPC's form), or the URL does not fit",
      ...json(z.union([faultSchema, errorSchema]).openapi("McpRefusal"), {
        jsonrpc: "2.0",
        id: null,
        error: { code: INVALID_REQUEST, message: "The request body must be a JSON object" },
      }),
    },
  },
};

/** `POST /mcp` responds to one message of an AI agent. */
export function registerPostMcp(app: App): void {
  addRoute(app, route, async (c) => {
    refuseForeignOrigin(c);
    if (c.req.query("access_key") !== undefined) {
      throw new AppError("unauthorized", "Send the key as Authorization: Bearer <key>: URLs end up in logs");
    }
    const agent = await identifyCaller(c, { ofApp: true });
    const { company_id: companyId, write } = checkQuery(querySchema, c.req.query());
    const message = await readMessage(c);
    if (message instanceof Response) return message;
    // Loaded with the first message: other functions that hold this route need neither the tools nor the protocol.
    const { respondToMessage } = await import("./respond_to_message.ts");
    return await respondToMessage(c, message, { agent, companyId, mayWrite: write === "1" });
  });
}

/** Returns the body, or the protocol's response to a body that is no message. */
async function readMessage(c: AppContext): Promise<Record<string, unknown> | Response> {
  try {
    return (await readJson(c)).value;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
    const { message, cause } = error;
    const code = cause === undefined ? INVALID_REQUEST : PARSE_ERROR;
    return c.json({ jsonrpc: "2.0", id: null, error: { code, message } }, 400);
  }
}
