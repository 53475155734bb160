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
  let { href: apiUrl } = new URL(api_url, location.href);
  while (apiUrl.endsWith("/")) apiUrl = apiUrl.slice(0, -1);
  return { apiUrl, isSandbox: sandbox === true };
}
