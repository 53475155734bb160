import { serveHttp } from "../../cli/service/serve_http.ts";
import type { BuildTarget } from "../../cli/widget_build/headers.ts";
import { createHostCheck, refuseHost } from "../allowed_hosts.ts";
import { demoPage, type DemoPageFacts } from "./demo_page.ts";
import { keepBuild, serveBuiltFile } from "./built_widgets.ts";

export interface WidgetHostOptions {
  port: number;
  /** Accepted host names besides those of this machine. */
  hosts?: string[];
  /** The folder of built files. */
  directory: string;
  /** The addresses in the built files. */
  target: BuildTarget & { apiUrl: string };
  /** The content of the page at `/`; without it there is no page. */
  demo: Omit<DemoPageFacts, "apiUrl" | "widgetUrl"> | undefined;
  /** Called when the widgets cannot be built, with the reason. */
  onError: (reason: string) => void;
}

export interface WidgetHost {
  close(): Promise<void>;
}

/**
 * Serves the widgets' files on this machine, as a static host does elsewhere, with a page at `/` to try them. Builds them
 * in the background; requests wait for that.
 *
 * @throws Deno.errors.AddrInUse when the port is in use
 */
export async function startWidgetHost(options: WidgetHostOptions): Promise<WidgetHost> {
  const { port, directory, target, demo } = options;
  const build = keepBuild({ directory, target });
  const isAllowedHost = createHostCheck(options.hosts);
  let isClosed = false;
  const server = await serveHttp(respond, { hostname: "127.0.0.1", port });
  build.folder().catch((error) => isClosed || options.onError((error as Error).message));

  async function respond(request: Request): Promise<Response> {
    const refused = refuseHost(request, isAllowedHost);
    if (refused) return refused;
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
    }
    const url = URL.parse(request.url);
    const page = demo && url && demoPage(url, { ...demo, apiUrl: target.apiUrl, widgetUrl: url.origin });
    return page ?? (url && await serveBuiltFile(build, url.pathname, target)) ??
      new Response("There is no such file.\n", { status: 404 });
  }

  return {
    async close() {
      isClosed = true;
      await build.stop();
      await server.stop();
    },
  };
}
