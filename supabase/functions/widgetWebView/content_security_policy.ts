/**
 * What the page may do: run its one script, wear its one style and hold the chat. `frame-ancestors` is left out for a
 * widget that may be shown anywhere, because even `*` would leave out pages that are files.
 */
export function contentSecurityPolicy(nonce: string, widgetUrl: string, allowedOrigins: string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `frame-src ${new URL(widgetUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(allowedOrigins.length > 0 ? [`frame-ancestors ${allowedOrigins.join(" ")}`] : []),
  ].join("; ");
}
