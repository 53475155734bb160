import { writeFile } from "node:fs/promises";
import { type Client, readPages } from "../../sdk/typescript/src/operations.ts";
import { type Called, clientFor, connect, WHICH_COMPANY } from "./connection.ts";
import type { Operation } from "./operation.ts";
import type { Program } from "./program.ts";
import type { OwnOptions } from "./own_flags.ts";
import { readBody, type RequestBody } from "./read_body.ts";
import { readRequest, type RequestParts } from "./read_request.ts";
import { showResponse } from "./show_response.ts";
import { UsageError } from "./usage_error.ts";

/** Sends the request of an operation and prints the response. */
export async function callOperation(program: Program, operation: Operation, args: string[]): Promise<void> {
  const { parts, own } = readRequest(operation, args);
  if (own.output !== undefined && !operation.other) throw new UsageError("This command takes no --output");
  requirePath(operation, parts);
  const body = await readBody(program, operation, { parts, own });
  const connection = await connect(program.env, own);
  const called = await clientFor(connection, operation, parts.path.company_id);
  parts.path.company_id ??= companyOf(operation, called, connection.companyId);
  if (operation.asks && !own.yes) await confirm(program, operation);
  const headers = { ...body.headers, ...await etagOf(called.client, operation, parts) };
  const request = { url: operation.path, path: parts.path, query: parts.query, ...body, headers };
  if (operation.paged && own.all) return await printPages(program, called.client, request, own);
  await printResponse(program, own, await send(called.client, operation, request));
}

function requirePath({ flags }: Operation, { path }: RequestParts): void {
  const missing = flags.find(({ positional, field }) => positional && !path[field[0]!]);
  if (missing) throw new UsageError(`Missing ${missing.field[0]!.toUpperCase()}`);
}

function companyOf({ path }: Operation, { usesKey }: Called, usual: string | undefined): string {
  if (usesKey || !path.startsWith("/manage/companies/{company_id}")) return "mine";
  if (usual === undefined) throw new UsageError(WHICH_COMPANY);
  return usual;
}

async function confirm({ terminal }: Program, { summary }: Operation): Promise<void> {
  if (!terminal.canAsk) throw new UsageError(`${summary}? This cannot be undone: add --yes`);
  const reply = await terminal.ask(`${summary}? This cannot be undone (yes/no)`);
  if (!/^y(es)?$/i.test(reply)) throw new UsageError("Nothing was changed");
}

/** A change names the settings as they are now, unless the command line names those that it has read. */
async function etagOf(
  client: Client,
  { etagPath: url }: Operation,
  { headers, path }: RequestParts,
): Promise<Record<string, string>> {
  if (url === undefined || "If-Match" in headers) return {};
  const { response } = await client.get<unknown, unknown, true, "fields">({
    url,
    path,
    responseStyle: "fields",
  });
  const etag = response.headers.get("ETag");
  return etag === null ? {} : { "If-Match": etag };
}

/** A request as the client takes it. */
type ClientRequest = Pick<RequestParts, "path" | "query"> & RequestBody & { url: string };

async function send(client: Client, { method, other }: Operation, request: ClientRequest) {
  const call = client[method.toLowerCase() as "post"]<unknown, unknown, true, "fields">;
  const parseAs = other ? "stream" : "json";
  const { data, response } = await call({ ...request, responseStyle: "fields", parseAs });
  return { data, response };
}

async function printResponse(
  { terminal }: Program,
  { output, json }: OwnOptions,
  { data, response }: { data: unknown; response: Response },
): Promise<void> {
  const type = response.headers.get("Content-Type") ?? "";
  if (response.status === 204) return await terminal.print(json ? "{}" : "Done");
  if (data instanceof ReadableStream && !type.startsWith("application/json")) {
    if (output !== undefined) return await writeFile(output, data as unknown as AsyncIterable<Uint8Array>);
    for await (const part of data as unknown as AsyncIterable<Uint8Array>) {
      await terminal.printBytes(part, type.startsWith("text/"));
    }
    return;
  }
  const value = data instanceof ReadableStream ? await new Response(data).json() : data;
  if (json) await terminal.printJson(value);
  else await terminal.print(showResponse(value, terminal.columns));
}

/** Prints the entries of all pages: as JSON each as it comes, as a table at the end. */
async function printPages(
  { terminal }: Program,
  client: Client,
  request: ClientRequest,
  { json }: OwnOptions,
): Promise<void> {
  let test: unknown;
  const operation = async (options: object) => {
    const page = await client.get({ ...options, url: request.url });
    test = (page as { test?: unknown }).test;
    return page;
  };
  const rows: unknown[] = [];
  for await (const row of readPages(client, operation, request)) {
    if (json) await terminal.printJson(row);
    else rows.push(row);
  }
  if (!json) await terminal.print(showResponse({ rows, test }, terminal.columns));
}
