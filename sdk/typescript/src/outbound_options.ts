/** How to reach the service, and for how long to retry. */
export interface OutboundOptions {
  /** The address of the API, ending in `/functions/v1`. @default {the variable OUTBOUND_BASE_URL} */
  baseUrl?: string;
  /**
   * A company's access key, for `/notify` and what its permissions open below `/manage/companies/mine`. Not for web pages.
   *
   * @default {the variable OUTBOUND_API_KEY, where there is no token either}
   */
  accessKey?: string;
  /** A user's token, for what is below `/manage`; as a function, it is called for each request. */
  token?: string | (() => string | Promise<string>);
  /** The time for one attempt, in milliseconds. @default {30_000} */
  timeoutMs?: number;
  /** How often a request is repeated at most. @default {4} */
  retries?: number;
  /** The time for all attempts of a request, in milliseconds. @default {120_000} */
  totalMs?: number;
  /** Replaces the global `fetch`. */
  fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
}

/** The limits of one request. */
export type RequestLimits = Required<Pick<OutboundOptions, "timeoutMs" | "retries" | "totalMs">>;

/** An option without which a request cannot be sent. */
export class OptionError extends TypeError {}

const DEFAULT_LIMITS: RequestLimits = { timeoutMs: 30_000, retries: 4, totalMs: 120_000 };

/** Checks the options of a client and fills in what is left out. Throws `TypeError` naming the option. */
export function readOptions(options: OutboundOptions) {
  const { accessKey, token, fetch = globalThis.fetch.bind(globalThis) } = options;
  const baseUrl = options.baseUrl ?? variable("OUTBOUND_BASE_URL");
  if (!baseUrl) throw new TypeError("baseUrl: give the address of the API, or set OUTBOUND_BASE_URL");
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new TypeError(
      `baseUrl: expected a URL such as https://api.example.com/functions/v1, got '${baseUrl}'`,
    );
  }
  if (accessKey !== undefined && token !== undefined) {
    throw new TypeError("accessKey and token: give one of them, and make a client for each");
  }
  return {
    baseUrl: withoutEndSlashes(baseUrl),
    credential: accessKey ?? token ?? variable("OUTBOUND_API_KEY"),
    limits: readLimits(options, DEFAULT_LIMITS),
    fetch,
  };
}

/** A variable of the environment; pages have none, and Deno may not permit it. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** Returns a URL without the slashes at its end. */
function withoutEndSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end--;
  return url.slice(0, end);
}

/** The limits that `given` names, and `others` for the rest. Throws `TypeError` for what is not a number from 0. */
export function readLimits(
  given: Partial<Record<keyof RequestLimits, unknown>>,
  others: RequestLimits,
): RequestLimits {
  const limitOf = (name: keyof RequestLimits) => {
    const value = given[name] ?? others[name];
    if (typeof value === "number" && value >= 0) return value;
    throw new TypeError(`${name}: expected a number from 0, got '${value}'`);
  };
  return { timeoutMs: limitOf("timeoutMs"), retries: limitOf("retries"), totalMs: limitOf("totalMs") };
}
