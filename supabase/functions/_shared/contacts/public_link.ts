import { z } from "@hono/zod-openapi";
import { hostOf, isPublicHost } from "../gateways/http1/addresses.ts";

const FORMAT = "an https URL on a public host, without a user name or password";

/** A link that people open, or from which a platform fetches a file. */
export const publicLinkSchema = z.string({ error: FORMAT }).max(2000, FORMAT).refine(isPublicLink, FORMAT);

function isPublicLink(link: string): boolean {
  const url = URL.parse(link);
  return url !== null && url.protocol === "https:" && !/\s/.test(link) && !url.username && !url.password &&
    isPublicHost(hostOf(url));
}
