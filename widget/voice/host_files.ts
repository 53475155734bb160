import { manifestSchema } from "./schemas.ts";

/** A file of the widget host. */
export interface HostFile {
  /** Absolute. */
  url: string;
  integrity: string;
}

let asked: Promise<Record<string, HostFile>> | undefined;

/** The files that came with this page, by their names in `manifest.json`. Rejects when the host cannot be reached. */
export function hostFiles(): Promise<Record<string, HostFile>> {
  asked ??= readManifest().catch((error) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

async function readManifest(): Promise<Record<string, HostFile>> {
  const base = new URL("manifest.json", location.href);
  const response = await fetch(base);
  if (!response.ok) throw new Error(`${response.status} from the widget host`);
  const { files } = manifestSchema.parse(await response.json());
  const absolute = Object.entries(files).map(([name, { url, integrity }]) =>
    [name, { url: new URL(url, base).href, integrity }] as const
  );
  return Object.fromEntries(absolute);
}
