/** One response, kept for the check against the OpenAPI document. */
export interface SeenAnswer {
  method: string;
  /** Path and query, such as `/functions/v1/notify?access_key=…`. */
  path: string;
  status: number;
  headers: Headers;
  /** Parsed when the response says it is JSON, text otherwise, null when empty. */
  body: unknown;
}

export interface TestAnswer<Body> extends SeenAnswer {
  body: Body;
}

export interface TestRequestOptions {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as it is, instead of a JSON body. */
  rawBody?: BodyInit;
}

/** A JSON object whose fields a test reads. */
// deno-lint-ignore no-explicit-any -- an assertion compares what is really there
export type JsonObject = Record<string, any>;

/** Requests to the service under test; `seen` holds every response. */
export interface TestHttp {
  seen: SeenAnswer[];
  get<Body = JsonObject>(path: string, options?: TestRequestOptions): Promise<TestAnswer<Body>>;
  post<Body = JsonObject>(
    path: string,
    body?: unknown,
    options?: TestRequestOptions,
  ): Promise<TestAnswer<Body>>;
  request<Body = JsonObject>(
    method: string,
    path: string,
    body?: unknown,
    options?: TestRequestOptions,
  ): Promise<TestAnswer<Body>>;
}

/** The root of every path: `http.get("/notify/status")` asks for `/functions/v1/notify/status`. */
export const BASE_PATH = "/functions/v1";

/**
 * Makes a client for an app in this process, or for a running service.
 *
 * @param target an app, or the URL below which `/functions/v1` lies
 */
export function createTestHttp(
  target: string | { fetch(request: Request): Response | Promise<Response> },
): TestHttp {
  const seen: SeenAnswer[] = [];
  const [origin, send] = typeof target === "string"
    ? [target, (request: Request) => fetch(request)]
    : ["http://localhost", async (request: Request) => await target.fetch(request)];

  async function request<Body>(
    method: string,
    path: string,
    body?: unknown,
    options: TestRequestOptions = {},
  ): Promise<TestAnswer<Body>> {
    const url = new URL(`${BASE_PATH}${path}`, origin);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, value);
    const response = await send(new Request(url, { method, ...content(body, options), redirect: "manual" }));
    const answer = {
      method,
      path: `${url.pathname}${url.search}`,
      status: response.status,
      headers: response.headers,
      body: await readBody(response) as Body,
    };
    seen.push(answer);
    return answer;
  }

  return {
    seen,
    request,
    get: (path, options) => request("GET", path, undefined, options),
    post: (path, body, options) => request("POST", path, body, options),
  };
}

function content(body: unknown, { headers, rawBody }: TestRequestOptions): RequestInit {
  if (rawBody !== undefined) return { body: rawBody, headers: headers ?? {} };
  if (body === undefined) return { headers: headers ?? {} };
  return { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return null;
  return /\bjson\b/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : text;
}
