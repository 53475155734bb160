import { type BuildTarget, headersFor } from "../../cli/widget_build/headers.ts";
import { keepBuild } from "../static_host/kept_build.ts";
import { startStaticHost, type StaticHost } from "../static_host/start.ts";
import { demoPage, type DemoPageFacts } from "./demo_page.ts";

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

/** The sources of the built files, below the root of the repository. */
const SOURCES = [
  "widget",
  "cli/widget_build",
  "cli/browser_build",
  "cli/widget_build.ts",
  "import_map.json",
  "deno.json",
];

/**
 * Serves the widgets' files on this machine, as a static host does elsewhere, with a page at `/` to try them. Builds them
 * in the background; requests wait for that.
 *
 * @throws Deno.errors.AddrInUse when the port is in use
 */
export async function startWidgetHost(options: WidgetHostOptions): Promise<StaticHost> {
  const { port, hosts, directory, target, demo } = options;
  const build = keepBuild({
    directory,
    command: [
      ...["cli/widget_build.ts", "--api-url", target.apiUrl],
      ...target.platformUrls.flatMap((url) => ["--platform-url", url]),
    ],
    sources: SOURCES,
  });
  let isClosed = false;
  const host = await startStaticHost({
    port,
    hosts,
    build,
    headersFor: (path) => headersFor(path, target),
    ownPage: (url) => demo && demoPage(url, { ...demo, apiUrl: target.apiUrl, widgetUrl: url.origin }),
  });
  build.folder().catch((error) => isClosed || options.onError((error as Error).message));
  return {
    async close() {
      isClosed = true;
      await host.close();
    },
  };
}
