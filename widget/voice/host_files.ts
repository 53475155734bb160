import { manifestSchema } from "./schemas.ts";
import type * as ElevenLabsClient from "@elevenlabs/client";
import type * as LivekitClient from "livekit-client";

/** A file of the widget host. */
export interface HostFile {
  /** Absolute. */
  url: string;
  integrity: string;
}

let manifest: Promise<Record<string, HostFile>> | undefined;

/** Returns the files of this build, by their names in `manifest.json`. Rejects when the host is unavailable. */
export function hostFiles(): Promise<Record<string, HostFile>> {
  manifest ??= readManifest().catch((error) => {
    manifest = undefined;
    throw error;
  });
  return manifest;
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

/** The libraries in scripts of their own, by their names in `manifest.json`. */
interface Libraries {
  elevenlabs_client: typeof ElevenLabsClient;
  livekit_client: typeof LivekitClient;
}

/** The global variable that each library defines. */
const GLOBALS = { elevenlabs_client: "ElevenLabsClient", livekit_client: "LivekitClient" } as const;

const loading = new Map<string, Promise<unknown>>();

/** Loads a library from the widget host once, and checks its integrity. Rejects when it cannot be loaded. */
export function loadLibrary<Name extends keyof Libraries>(name: Name): Promise<Libraries[Name]> {
  const library = loading.get(name) ?? load(name).catch((error) => {
    loading.delete(name);
    throw error;
  });
  loading.set(name, library);
  return library as Promise<Libraries[Name]>;
}

async function load(name: keyof Libraries): Promise<unknown> {
  const file = (await hostFiles())[name];
  if (file === undefined) throw new Error(`The widget host has no ${name}`);
  const script = document.createElement("script");
  Object.assign(script, { src: file.url, integrity: file.integrity, crossOrigin: "anonymous" });
  const loaded = new Promise<void>((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${name} could not be loaded`));
  });
  document.head.append(script);
  await loaded.finally(() => script.remove());
  return (globalThis as unknown as Record<string, unknown>)[GLOBALS[name]];
}
