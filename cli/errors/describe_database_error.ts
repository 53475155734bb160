/**
 * Describes in one line why a database could not be used. Names its host and port and nothing else of its URL, which holds
 * the password.
 */
export function describeDatabaseError(error: unknown, databaseUrl: string): string {
  const { code, message } = error as { code?: string; message?: string };
  const where = hostOf(databaseUrl);
  if (where === undefined) {
    return "DATABASE_URL is not a URL of the form postgres://user:password@host:port/database";
  }
  const reason = tlsReason(code, message ?? "") ?? REASONS[code ?? ""];
  return reason ? `The database at ${where} ${reason}` : String(message ?? error);
}

/** Describes a fault of TLS: the server wants it, or has a certificate that cannot be trusted. */
function tlsReason(code: string | undefined, message: string): string | undefined {
  if (code === "28000" && message.endsWith("no encryption")) {
    return `wants TLS: add ?sslmode=verify-full to DATABASE_URL (${TLS_PAGE})`;
  }
  if (/NotValidForName|not valid for name|altnames/i.test(message)) {
    return `has a certificate of another name (${TLS_PAGE})`;
  }
  if (/UnknownIssuer|unable to verify|self.signed|unable to get (local )?issuer/i.test(message)) {
    return `has a certificate of an authority that this machine does not know: name its file with sslrootcert (${TLS_PAGE})`;
  }
}

const TLS_PAGE = "docs/operations.md#tls-to-postgres";

const REASONS: Record<string, string> = {
  ECONNREFUSED: "cannot be reached: nothing listens there",
  ENOTFOUND: "cannot be reached: no such host",
  EAI_AGAIN: "cannot be reached: no such host",
  ETIMEDOUT: "cannot be reached: it does not respond",
  CONNECT_TIMEOUT: "cannot be reached: it does not respond",
  CONNECTION_CLOSED: "closed the connection",
  "28P01": "refused the user name or password of DATABASE_URL",
  "28000": "refused the user of DATABASE_URL",
  "3D000": "has no database of that name",
  "25006": "takes no writes: it is read-only or a replica",
  "53100": "has a full disk: free some space there, then start again",
  "53300": "has no connection to spare: raise max_connections, or put a pooler in front",
};

function hostOf(databaseUrl: string): string | undefined {
  if (!URL.canParse(databaseUrl)) return undefined;
  const url = new URL(databaseUrl);
  return /^postgres(ql)?:$/.test(url.protocol) ? `${url.hostname}:${url.port || "5432"}` : undefined;
}
