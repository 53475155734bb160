/** `config.json`, which the build or the host writes beside the page. */
export interface Config {
  /** The API's base URL, which ends in /functions/v1. */
  apiUrl: string;
  /** Messages reach a simulated platform, and no person. */
  isSandbox: boolean;
}

/** Reads the configuration. Throws where the host has none, or one that names no API. */
export async function readConfig(): Promise<Config> {
  const response = await fetch("config.json", { cache: "no-cache" });
  const { api_url, sandbox } = await response.json() as { api_url?: unknown; sandbox?: unknown };
  if (typeof api_url !== "string") throw new TypeError("config.json has no api_url");
  const { href } = new URL(api_url, location.href);
  return { apiUrl: href.replace(/\/+$/, ""), isSandbox: sandbox === true };
}
