import { builtInApi } from "../shared/page.ts";
import type { Fragment } from "../shared/urls.ts";

/**
 * Returns the origin of the embedding page, the API's web view. Undefined outside of an iframe, and for a page built for
 * one API in a page of another origin.
 */
export function parentOrigin({ parent: origin }: Fragment): string | undefined {
  if (parent === window || origin === undefined) return undefined;
  const api = builtInApi();
  return api === undefined || new URL(api).origin === origin ? origin : undefined;
}

export interface ParentRequest<Response> {
  /** The exact origin of the embedding page: no other page can read the request, and no other can respond. */
  origin: string;
  type: string;
  /** Parses a message's data; undefined for messages that are not the response. */
  parse: (data: unknown) => Response | undefined;
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** The embedding page may not listen yet when the first request is sent. */
const REPEAT_MS = 400;

/**
 * Requests data from the embedding page. Returns undefined when it does not respond in time. Accepts messages only from
 * that very window and origin.
 */
export function requestFromParent<Response>(request: ParentRequest<Response>): Promise<Response | undefined> {
  const { origin, type, parse, timeoutMs = TIMEOUT_MS } = request;
  return new Promise((resolve) => {
    const listen = (event: MessageEvent) => {
      if (event.source !== parent || event.origin !== origin) return;
      const response = parse(event.data);
      if (response !== undefined) end(response);
    };
    const send = () => parent.postMessage({ type }, origin);
    const end = (response: Response | undefined) => {
      removeEventListener("message", listen);
      clearInterval(repeating);
      clearTimeout(timeout);
      resolve(response);
    };
    const repeating = setInterval(send, REPEAT_MS);
    const timeout = setTimeout(() => end(undefined), timeoutMs);
    addEventListener("message", listen);
    send();
  });
}
