import { builtInApi } from "../shared/built_in_api.ts";
import type { Fragment } from "../shared/read_fragment.ts";

/**
 * The origin of the page around the chat, which is the API's web view: a page built for one API talks to that one only.
 * Undefined when there is none, or one that is not to be talked to.
 */
export function findParent({ parent: origin }: Fragment): string | undefined {
  if (parent === window || origin === undefined) return undefined;
  const api = builtInApi();
  return api === undefined || new URL(api).origin === origin ? origin : undefined;
}
