import type { ConnectionOptions } from "node:tls";

/** The URL of a database without the parameters that the driver does not know, and what they ask for. */
export interface DatabaseAddress {
  url: string;
  ssl?: ConnectionOptions;
}

/**
 * Reads `sslmode` and `sslrootcert` of a database's URL as libpq does: `verify-full` checks the certificate and its name,
 * `verify-ca` the certificate alone, and so does `require` with an `sslrootcert`, a file with the authorities to trust.
 *
 * @throws Error naming the file when it cannot be read
 */
export function readTls(databaseUrl: string): DatabaseAddress {
  const url = new URL(databaseUrl);
  const [mode, file] = [url.searchParams.get("sslmode"), url.searchParams.get("sslrootcert")];
  if (mode === null && file === null) return { url: databaseUrl };
  url.searchParams.delete("sslrootcert");
  const isChecked = mode === "verify-full" || mode === "verify-ca" || file !== null;
  if (!isChecked || mode === "disable") return { url: url.href };
  url.searchParams.delete("sslmode");
  return {
    url: url.href,
    ssl: {
      rejectUnauthorized: true,
      // The driver passes on names alone, and an IP address is compared too.
      host: url.hostname.replace(/^\[|\]$/g, ""),
      ...file !== null && file !== "system" && { ca: readCertificates(file) },
      ...mode !== "verify-full" && file !== "system" && { checkServerIdentity: () => undefined },
    },
  };
}

/** Returns what is wrong with the certificates that a database's URL names; undefined when nothing is. */
export function tlsProblem(databaseUrl: string): string | undefined {
  if (!URL.canParse(databaseUrl)) return undefined;
  try {
    readTls(databaseUrl);
  } catch (error) {
    return (error as Error).message;
  }
}

function readCertificates(file: string): string {
  try {
    return Deno.readTextFileSync(file);
  } catch (error) {
    throw new Error(
      `sslrootcert cannot be read: ${file}; the service reads certificates below /etc/ssl/certs and /etc/outbound`,
      { cause: error },
    );
  }
}
