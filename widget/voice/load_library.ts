import type * as ElevenLabsClient from "@elevenlabs/client";
import type * as LivekitClient from "livekit-client";
import { hostFiles } from "./host_files.ts";

/** The libraries that are scripts of their own, by their names in `manifest.json`, and what each calls itself. */
interface Libraries {
  elevenlabs_client: typeof ElevenLabsClient;
  livekit_client: typeof LivekitClient;
}

const GLOBALS = { elevenlabs_client: "ElevenLabsClient", livekit_client: "LivekitClient" } as const;

const loading = new Map<string, Promise<unknown>>();

/** Loads a library from the widget host, checked against its integrity, once. Rejects when it does not come. */
export function loadLibrary<Name extends keyof Libraries>(name: Name): Promise<Libraries[Name]> {
  const known = loading.get(name) ?? load(name).catch((error) => {
    loading.delete(name);
    throw error;
  });
  loading.set(name, known);
  return known as Promise<Libraries[Name]>;
}

async function load(name: keyof Libraries): Promise<unknown> {
  const file = (await hostFiles())[name];
  if (file === undefined) throw new Error(`The widget host has no ${name}`);
  const script = document.createElement("script");
  Object.assign(script, { src: file.url, integrity: file.integrity, crossOrigin: "anonymous" });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  script.onload = () => resolve();
  script.onerror = () => reject(new Error(`${name} could not be loaded`));
  document.head.append(script);
  await promise.finally(() => script.remove());
  return (globalThis as unknown as Record<string, unknown>)[GLOBALS[name]];
}
