import { join } from "node:path";
import { packNpm } from "../../cli/release_build/npm_package.ts";
import { buildWidgetPackage } from "../../cli/sdk_build/build_widget_package.ts";
import { blocksOf, readPage } from "../docs/read_page.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { installPackedClient, ROOT, run } from "./packed_client.ts";

/** React as of today, and the oldest that the package is for. */
export const REACT = { newest: "19.3.1", oldest: "18.0.0" };

/** Calls `fn` with a folder outside of the project in which the packed widgets and React are installed with npm. */
export async function withPackedWidget(
  fn: (folder: string) => Promise<void>,
  { react = REACT.newest }: { react?: string } = {},
): Promise<void> {
  await withTempFolder(async (folder) => {
    const built = join(folder, "built");
    await buildWidgetPackage(ROOT, built);
    const fresh = join(folder, "fresh");
    const packed = join(folder, await packNpm(built, folder));
    const types = ["@types/react@19.3.3", "@types/react-dom@19.3.0"];
    await installPackedClient(packed, fresh, `react@${react}`, `react-dom@${react}`, ...types);
    await fn(fresh);
  });
}

/** The examples of the package's README, by their file's name. */
export async function readExamples(): Promise<Record<string, string>> {
  const blocks = blocksOf(await readPage("sdk/widget/README.md")).filter(({ file }) => file !== "");
  return Object.fromEntries(blocks.map(({ file, lines }) => [file, lines.join("\n")]));
}

/** Bundles a file of the folder for browsers, and returns the script. */
export async function bundleForPage(folder: string, entry: string): Promise<string> {
  const how = ["--quiet", "--platform", "browser", "--minify", "--node-modules-dir=manual", "--no-lock"];
  await run(Deno.execPath(), ["bundle", ...how, "--output", `${entry}.js`, entry], folder);
  return await Deno.readTextFile(join(folder, `${entry}.js`));
}
