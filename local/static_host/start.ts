import { serveHttp } from "../../cli/service/serve_http.ts";
import { createHostCheck, refuseHost } from "../allowed_hosts.ts";
import { serveBuiltFile } from "./built_file.ts";
import type { KeptBuild } from "./kept_build.ts";

export interface StaticHostOptions {
  port: number;
  /** Accepted host names besides those of this machine. */
  hosts?: string[] | undefined;
  build: KeptBuild;
  /** The headers of a path of the build. */
  headersFor: (path: string) => Record<string, string>;
  /** Responds to what is not in the build; undefined for paths that are left to it. */
  ownPage?: (url: URL) => Response | undefined;
}

export interface StaticHost {
  close(): Promise<void>;
}

/**
 * Serves built files on this machine, as a static host does elsewhere. Requests wait for the build.
 *
 * @throws Deno.errors.AddrInUse when the port is in use
 */
export async function startStaticHost(
  { port, hosts, build, headersFor, ownPage }: StaticHostOptions,
): Promise<StaticHost> {
  const isAllowedHost = createHostCheck(hosts);
  const server = await serveHttp(respond, { hostname: "127.0.0.1", port });

  async function respond(request: Request): Promise<Response> {
    const refused = refuseHost(request, isAllowedHost);
    if (refused) return refused;
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
    }
    const url = URL.parse(request.url);
    const acceptsGzip = /\bgzip\b/.test(request.headers.get("Accept-Encoding") ?? "");
    const file = async ({ pathname }: URL) =>
      await serveBuiltFile(build, { pathname, acceptsGzip }, headersFor);
    return (url && (ownPage?.(url) ?? await file(url))) ??
      new Response("There is no such file.\n", { status: 404 });
  }

  return {
    async close() {
      await build.stop();
      await server.stop();
    },
  };
}
