import { join } from "node:path";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { buildPackage } from "../sdk_build/build_package.ts";
import { buildWidgetPackage } from "../sdk_build/build_widget_package.ts";
import { writeBillOfMaterials } from "./bill_of_materials.ts";
import { changesOf } from "./changelog.ts";
import { writeGoModule } from "./go_module.ts";
import { writeImage } from "./image.ts";
import { packNpm } from "./npm_package.ts";
import { postmanCollection } from "./postman/collection.ts";
import { buildPython } from "./python_packages.ts";
import { archiveFolder, type Sources } from "./sources.ts";

/** Writes an artifact into the folder `out`, and returns the paths of its files from there. */
type Build = (sources: Sources, out: string) => Promise<string[]>;

const DOCUMENT = "supabase/functions/openapi/document.json";

/** All that a release publishes, by the names that progress and `--json` use. */
export const ARTIFACTS: Record<string, Build> = {
  changelog: async ({ folder }, out) => {
    const text = await Deno.readTextFile(join(folder, "CHANGELOG.md"));
    await Deno.writeTextFile(join(out, "CHANGELOG.md"), changesOf(text, VERSION));
    return ["CHANGELOG.md"];
  },

  api: async ({ folder }, out) => {
    const text = await Deno.readTextFile(join(folder, DOCUMENT));
    const collection = `${JSON.stringify(postmanCollection(JSON.parse(text)), null, 2)}\n`;
    await Deno.mkdir(join(out, "api"));
    await Deno.writeTextFile(join(out, "api/openapi.json"), text);
    await Deno.writeTextFile(join(out, "api/outbound.postman_collection.json"), collection);
    return ["api/openapi.json", "api/outbound.postman_collection.json"];
  },

  npm: async ({ folder }, out) => {
    const [client, widget] = [join(folder, "dist/sdk"), join(folder, "dist/sdk-widget")];
    await buildPackage(folder, client);
    await buildWidgetPackage(folder, widget);
    await Deno.mkdir(join(out, "npm"));
    const files = [await packNpm(client, join(out, "npm")), await packNpm(widget, join(out, "npm"))];
    return files.map((file) => join("npm", file));
  },

  python: async ({ root, folder, time }, out) => {
    const files = await buildPython(join(folder, "sdk/python"), join(out, "python"), {
      tools: join(root, ".outbound/tools"),
      time,
    });
    return files.map((file) => join("python", file));
  },

  go: (sources, out) => writeGoModule(sources, join(out, "go"), `v${VERSION}`).then(below("go")),

  helm: async (sources, out) => {
    const path = `helm/outbound-${VERSION}.tgz`;
    await Deno.mkdir(join(out, "helm"));
    await archiveFolder(sources, { path: "ops/helm/outbound", prefix: "outbound/", out: join(out, path) });
    return [path];
  },

  sbom: async (sources, out) => {
    await writeBillOfMaterials(sources, join(out, "sbom.cdx.json"));
    return ["sbom.cdx.json"];
  },

  image: async (sources, out) => {
    const path = `image/outbound-${VERSION}.oci.tar`;
    await writeImage(sources, join(out, path));
    return [path];
  },
};

function below(folder: string): (files: string[]) => string[] {
  return (files) => files.map((file) => join(folder, file));
}
