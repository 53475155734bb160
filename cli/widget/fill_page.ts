import { CommandError } from "../command_error.ts";
import { type BuildTarget, pagePolicy } from "./headers.ts";
import type { BuiltFile } from "./manifest.ts";

export interface PageFacts extends BuildTarget {
  name: string;
  files: Record<string, BuiltFile>;
}

/**
 * Puts into a page what the build knows: `{{policy}}`, its Content-Security-Policy, and for `{{part}}` the address and
 * the integrity of a part, as attributes of a script or a link.
 *
 * @throws {CommandError} `build_failed` when the page names a part that is not built
 */
export function fillPage(page: string, { name, files, ...target }: PageFacts): string {
  return page.replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) => {
    if (part === "policy") return pagePolicy(name, target);
    const file = files[part];
    if (!file) throw new CommandError("build_failed", `${name} names ${part}, which is no part`);
    const address = file.url.endsWith(".css") ? "href" : "src";
    return `${address}="${file.url}" integrity="${file.integrity}" crossorigin="anonymous"`;
  });
}
