import { join } from "node:path";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { compileModules, exportOf, writePackageFile } from "./npm_files.ts";

const ENTRIES = ["mod.ts", "element.ts", "react.ts"];

/**
 * Writes the npm package of the widgets for websites into `out`: modules, their types, package.json, README.md and the
 * licence. Files of an earlier build are removed.
 *
 * @param root the root of the repository
 * @throws {CommandError} `build_failed` when the compiler refuses a file
 */
export async function buildWidgetPackage(root: string, out: string): Promise<void> {
  await Deno.remove(out, { recursive: true }).catch(() => {});
  await Deno.mkdir(out, { recursive: true });
  const source = join(root, "sdk", "widget");
  await compileModules({ source: join(source, "src"), entries: ENTRIES, out });
  await writePackageFile(out, PACKAGE);
  await Deno.copyFile(join(source, "README.md"), join(out, "README.md"));
  await Deno.copyFile(join(root, "LICENSE"), join(out, "LICENSE"));
}

/** The package's `package.json`. The version is the service's own. */
const PACKAGE = {
  name: "@outbound/widget",
  version: VERSION,
  description:
    "Chats and voice assistants of outbound for a website: a loader, a React component and an element",
  license: "MIT",
  type: "module",
  sideEffects: false,
  exports: {
    ".": exportOf("mod"),
    "./element": exportOf("element"),
    "./react": exportOf("react"),
  },
  types: "./mod.d.ts",
  peerDependencies: { react: ">=18" },
  peerDependenciesMeta: { react: { optional: true } },
};
