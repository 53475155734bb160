import { consoleHeaders } from "../../cli/console_build/headers.ts";
import { keepBuild, type KeptBuild } from "../static_host/kept_build.ts";
import { startStaticHost, type StaticHost } from "../static_host/start.ts";

export interface ConsoleHostOptions {
  port: number;
  /** Accepted host names besides those of this machine. */
  hosts?: string[];
  /** The folder of built files. */
  directory: string;
  apiUrl: string;
  /** LiveKit servers, on which members join calls. */
  platformUrls: string[];
  /** Its messages reach the sandbox. */
  isSandbox: boolean;
  /** Called when the console cannot be built, with the reason. */
  onError: (reason: string) => void;
}

/** The sources of the built files, below the root of the repository. */
const SOURCES = [
  "console",
  "sdk/typescript/src",
  "widget/shared",
  "widget/chat/messages/split_links.ts",
  "cli/console_build",
  "cli/browser_build",
  "cli/console_build.ts",
  "import_map.json",
  "deno.json",
];

/**
 * Serves the console on this machine, as a static host does elsewhere. It is built when it is first opened, because
 * most starts are for the API.
 *
 * @throws Deno.errors.AddrInUse when the port is in use
 */
export function startConsoleHost(
  { port, hosts, directory, apiUrl, platformUrls, isSandbox, onError }: ConsoleHostOptions,
): Promise<StaticHost> {
  const kept = keepBuild({
    directory,
    command: [
      ...["cli/console_build.ts", "--api-url", apiUrl],
      ...platformUrls.flatMap((url) => ["--platform-url", url]),
      ...(isSandbox ? ["--sandbox"] : []),
    ],
    sources: SOURCES,
  });
  return startStaticHost({
    port,
    hosts,
    build: reportingBuild(kept, onError),
    headersFor: (path) => consoleHeaders(path, { apiUrl, platformUrls }),
  });
}

/** Only requests wait for a build, and those do not say why it failed. */
function reportingBuild(kept: KeptBuild, onError: (reason: string) => void): KeptBuild {
  let isStopped = false;
  return {
    folder: (options) =>
      kept.folder(options).catch((error) => {
        if (!isStopped) onError((error as Error).message);
        throw error;
      }),
    stop() {
      isStopped = true;
      return kept.stop();
    },
  };
}
