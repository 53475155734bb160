const RESPONSE_TIMEOUT_MS = 10_000;

export interface SignedWebhook {
  body: Uint8Array<ArrayBuffer>;
  /** The header that signs these exact bytes. */
  signature: Record<string, string>;
}

/**
 * Posts a webhook as both platforms do: once, and without following a redirect. Returns whether the response was 200.
 *
 * @param closing ends the request
 */
export async function postWebhook(
  url: string,
  { body, signature }: SignedWebhook,
  closing: AbortSignal,
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...signature },
      // A blob has a length, and Deno does not resend it by itself when the connection breaks.
      body: new Blob([body]),
      redirect: "manual",
      signal: AbortSignal.any([closing, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
