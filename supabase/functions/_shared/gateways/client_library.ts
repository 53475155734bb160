import { z } from "zod";

/** The voice platform's client in the browser, as the widget host serves it; see import_map.json. */
export interface ClientLibrary {
  name: "@elevenlabs/client";
  version: string;
  /** Null, with `integrity`, when the widget host did not respond: its own pages know the address. */
  url: string | null;
  integrity: string | null;
}

/** The version that widget/ is built with. */
const VERSION = "1.25.0";

const TIMEOUT_MS = 2000;

const manifestSchema = z.object({
  files: z.object({ elevenlabs_client: z.object({ url: z.string().min(1), integrity: z.string().min(1) }) }),
});

/** Reads the library's address from the widget host's `manifest.json`. Never throws. */
export async function clientLibrary(widgetUrl: string | undefined): Promise<ClientLibrary> {
  const unknown = { name: "@elevenlabs/client" as const, version: VERSION, url: null, integrity: null };
  if (widgetUrl === undefined) return unknown;
  const base = widgetUrl.endsWith("/") ? widgetUrl : `${widgetUrl}/`;
  const manifest = await fetch(new URL("manifest.json", base), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((response) => response.json())
    .catch(() => undefined);
  const file = manifestSchema.safeParse(manifest).data?.files.elevenlabs_client;
  if (file === undefined) return unknown;
  return { ...unknown, url: new URL(file.url, base).href, integrity: file.integrity };
}
