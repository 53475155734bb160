import { VERSION } from "../../supabase/functions/_shared/version.ts";

/** The oldest Node that has all that the client uses and is still maintained. */
const NODE = ">=20.3";

/**
 * The client's `package.json`. The version is the service's own.
 *
 * @param imports the packages of import_map.json
 */
export function packageFile(imports: Record<string, string>): object {
  return {
    name: "@outbound/sdk",
    version: VERSION,
    description: "Typed client of outbound: WhatsApp notifications, campaigns and AI calls",
    license: "MIT",
    type: "module",
    sideEffects: false,
    engines: { node: NODE },
    exports: {
      ".": entry("mod"),
      "./webhooks": entry("webhooks"),
    },
    types: "./mod.d.ts",
    dependencies: { standardwebhooks: versionOf(imports, "standardwebhooks") },
  };
}

function entry(name: string): object {
  return { types: `./${name}.d.ts`, default: `./${name}.js` };
}

function versionOf(imports: Record<string, string>, name: string): string {
  return imports[name]!.slice(`npm:${name}@`.length);
}
