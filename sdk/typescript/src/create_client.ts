import {
  type Client,
  createClient as createGeneratedClient,
  createConfig,
} from "./generated/client/index.ts";
import { KEYED_OPERATIONS, OPERATIONS_WITH_OTHER_TYPES } from "./generated/operation_sets.gen.ts";
import { errorOfResponse, OutboundError } from "./outbound_error.ts";
import {
  OptionError,
  type OutboundOptions,
  readLimits,
  readOptions,
  type RequestLimits,
} from "./outbound_options.ts";
import { type RateLimit, readRateLimit } from "./rate_limit.ts";
import { isRepeatable } from "./retry_rules.ts";
import { type SendPlan, sendWithRetries } from "./send_with_retries.ts";

/** The paths of a company's requests: without a credential, the client itself says which variable is missing. */
const NEEDS_CREDENTIAL = /^\/(notify|manage\/companies)\b/;

/** The limits of a single request; operations take them as `meta`. */
export interface PerRequest {
  meta?: Partial<RequestLimits>;
}

/** A client, and the rate of its access key as the last response that named it reports it. */
export interface CreatedClient {
  client: Client;
  rateLimit: RateLimit | undefined;
}

/**
 * Creates the client that generated operations take. It adds the credential and, where the operation takes one, an
 * `Idempotency-Key`; it retries; and it throws `OutboundError`.
 */
export function createClient(options: OutboundOptions): CreatedClient {
  const { baseUrl, credential, limits, fetch } = readOptions(options);
  const plans = new WeakMap<Request, SendPlan & { isJson: boolean }>();
  const client = createGeneratedClient(createConfig({
    baseUrl,
    throwOnError: true,
    responseStyle: "data",
    async fetch(request) {
      const plan = plans.get(request as Request)!;
      const response = await sendWithRetries(request as Request, plan);
      created.rateLimit = readRateLimit(response.headers) ?? created.rateLimit;
      if (plan.isJson && response.ok && !holdsJson(response)) throw invalidResponse(response);
      return response;
    },
  }));

  const created: CreatedClient = { client, rateLimit: undefined };

  client.interceptors.request.use(async (request, options) => {
    const { url, path, body, meta = {}, parseAs, signal } = options as typeof options & PerRequest;
    const { headers, method } = request;
    requireIds(url, path);
    if (credential !== undefined && !headers.has("Authorization")) {
      headers.set(
        "Authorization",
        `Bearer ${typeof credential === "function" ? await credential() : credential}`,
      );
    }
    if (!headers.has("Authorization") && NEEDS_CREDENTIAL.test(url)) {
      throw new OptionError("accessKey: give an access key or a token, or set OUTBOUND_API_KEY");
    }
    if (method === "POST" && KEYED_OPERATIONS.has(url) && !headers.has("Idempotency-Key")) {
      headers.set("Idempotency-Key", createIdempotencyKey());
    }
    const repeatable = isRepeatable(request, url, body);
    plans.set(request, {
      ...readLimits(meta, limits),
      fetch,
      repeatable,
      isStream: parseAs === "stream",
      isJson: !OPERATIONS_WITH_OTHER_TYPES.has(`${method} ${url}`),
      signal,
    });
    return request;
  });

  client.interceptors.error.use((error, response, _request, { signal }) => {
    if (error instanceof OutboundError || signal?.aborted) return error;
    if (response === undefined) return error;
    return response.ok ? invalidResponse(response, error) : errorOfResponse(response, error);
  });
  hideClient(client);
  return created;
}

/** An id that is missing, or that a URL reads as a folder, would lead to another operation. */
function requireIds(url: string, path: Record<string, unknown> = {}): void {
  for (const [, name] of url.matchAll(/\{(\w+)\}/g)) {
    const value = path[name!];
    if (name === "company_id" && value === undefined) {
      throw new OptionError("companyId: name the company; a token is for all companies of its user");
    }
    if (value === undefined || /^\.{0,2}$/.test(String(value))) {
      throw new OptionError(`${name}: expected an id, got '${value}'`);
    }
  }
}

/** Operations pass all their options on to `new Request`, and in Deno that has a `client` of its own. */
function hideClient(client: Client): void {
  for (const method of ["get", "post", "put", "delete"] as const) {
    const send = client[method] as (options: object) => Promise<unknown>;
    client[method] = ((options: object) => send({ ...options, client: undefined })) as never;
  }
}

/** `crypto.randomUUID` exists on pages with https only. */
export function createIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** A page of another server is no response of the API, also where its status is 200. */
function holdsJson({ body, headers }: Response): boolean {
  return body === null || /^application\/json\b/i.test(headers.get("Content-Type") ?? "");
}

function invalidResponse({ status, headers }: Response, cause?: unknown): OutboundError {
  return new OutboundError({
    status,
    code: "invalid_response",
    message: "The response is not what the API document describes; is baseUrl the address of the API?",
    requestId: headers.get("X-Request-Id") ?? undefined,
    cause,
  });
}
