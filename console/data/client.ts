import { Problem } from "./problem.ts";
import {
  type Client,
  createClient,
  OutboundError,
  type SettingsOf,
  type SettingsOperation,
  type SettingsOptions,
  tag,
} from "./sdk.ts";
import { endSession, session } from "./session/session.ts";

/** How requests leave. */
export type Fetch = (request: Request) => Promise<Response>;

/** A person presses the button again sooner than a program would. */
const MAX_RETRIES = 2;

interface Clients {
  /** With the member's token. */
  member: Client;
  /** Without one: for the log-in. */
  visitor: Client;
}

let clients: Clients | undefined;

/** Whether messages reach a simulated platform, and no person. It does not change while the page is open. */
export let isSandbox = false;

/**
 * Names the API, once, before anything calls it.
 *
 * @param options `token` returns the member's, `tokenAfter` the one after a token that the API refused; `observe` sees
 * every request with one, and how it went
 */
export function openClient(
  baseUrl: string,
  { token, tokenAfter, observe, ...api }: {
    token: () => Promise<string>;
    tokenAfter: (refused: string) => Promise<string>;
    observe: (fetch: Fetch) => Fetch;
    isSandbox: boolean;
  },
): void {
  isSandbox = api.isSandbox;
  clients = {
    member: createClient({
      baseUrl,
      token,
      retries: MAX_RETRIES,
      fetch: observe((request) => fetchAgain(request, tokenAfter)),
    }).client,
    visitor: createClient({ baseUrl, retries: MAX_RETRIES }).client,
  };
}

/** Repeats a request once with the next token. The stream of a file cannot be sent twice. */
async function fetchAgain(
  request: Request,
  tokenAfter: (refused: string) => Promise<string>,
): Promise<Response> {
  const isRepeatable = !request.body || request.headers.get("Content-Type") === "application/json";
  const copy = isRepeatable ? request.clone() : undefined;
  const response = await fetch(request);
  if (response.status !== 401 || copy === undefined) return response;
  const refused = request.headers.get("Authorization")?.replace(/^Bearer /, "") ?? "";
  const token = await tokenAfter(refused);
  // It may read the same: tokens of one session that are made within a second do.
  if (token === "") return response;
  copy.headers.set("Authorization", `Bearer ${token}`);
  return await fetch(copy);
}

function opened(): Clients {
  if (clients === undefined) throw new Error("The client is not open");
  return clients;
}

/** Returns the client for what needs no session, or names its token itself. */
export function authApi(): Client {
  return opened().visitor;
}

/**
 * Returns the client to give to the functions of the SDK.
 *
 * ```ts
 * const page = await ask(listSenders({ client: api(), path: { company_id: companyId() }, signal }));
 * ```
 */
export function api(): Client {
  return opened().member;
}

/**
 * Waits for a function of the SDK and returns its data. A session that the API no longer accepts ends: the log-in is
 * shown, and leads back to the same address.
 *
 * @throws {Problem} for a refusal, and when no response came
 */
export async function ask<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.status === 401 && session.peek()) endSession("expired");
    throw problemOf(error);
  }
}

/** As `ask`, for settings: reads or changes them, and returns them with their ETag as one more field. */
export async function askWithEtag<Operation extends SettingsOperation>(
  operation: Operation,
  options: SettingsOptions<Operation>,
): Promise<SettingsOf<Operation> & { etag: string }> {
  const { data, etag } = await ask(tag(api(), operation, options).withEtag());
  return Object.assign({}, data, { etag });
}

/** The header that lets a change be refused if the settings have changed since they were read. */
export function ifMatch(etag: string): { "If-Match": string } {
  return { "If-Match": etag };
}

function problemOf({ status, code, message, requestId, details, retryAfterS }: OutboundError): Problem {
  if (status === 0) return new Problem("unreachable", "");
  return new Problem(code, message, { status, requestId, details, retryAfterS });
}

/** Whether a call ended because no part of the page waits for it any more. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
