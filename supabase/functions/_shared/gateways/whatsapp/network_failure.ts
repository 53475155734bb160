/** What an error of `fetch` means for a request: it surely never left, or nobody knows. */
export type NetworkFailure =
  | { kind: "not_sent"; reason: string }
  | { kind: "unknown"; httpStatus: null; reason: string };

/** Reads an error of `fetch`; its own text is not passed on, because it may quote the URL or a header. */
export function networkFailure(error: unknown): NetworkFailure {
  const connecting = connectFailure(error);
  if (connecting !== null) return { kind: "not_sent", reason: connecting };
  return { kind: "unknown", httpStatus: null, reason: waitingFailure(error) };
}

/**
 * Deno's fetch tells a failure to connect (refused, name lookup, TLS) from later ones only by its text: in the error's
 * message on 2.1, in its cause's on 2.9. Seen by experiment; the tests run into each of them.
 */
function connectFailure(error: unknown): string | null {
  const text = messagesOf(error);
  if (!text.includes("client error (Connect)")) return null;
  if (text.includes("dns error")) return "The platform's host name could not be resolved";
  if (/\btls\b|certificate|corrupt message/i.test(text)) {
    return "No secure connection to the platform could be made";
  }
  return "No connection to the platform could be made";
}

function waitingFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError") return "The platform did not answer in time";
  if (name === "AbortError") return "Stopped while waiting for the platform's answer";
  return "The connection to the platform broke before it answered";
}

function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";
}
