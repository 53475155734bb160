/** Where the platform is. A stand-in differs in `apiUrl` only. */
export interface WhatsappConfig {
  /** Without a version segment, `https://graph.facebook.com`. */
  apiUrl: string;
  /** `v25.0`. */
  apiVersion: string;
  fetch?: typeof fetch;
}

/** The URL of an edge of one of the platform's objects, such as the messages of a phone number. */
export function platformUrl(config: WhatsappConfig, id: string, edge: string): string {
  return `${config.apiUrl.replace(/\/+$/, "")}/${config.apiVersion}/${encodeURIComponent(id)}/${edge}`;
}
