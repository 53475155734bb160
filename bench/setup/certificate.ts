import { join } from "node:path";

/** A certificate for 127.0.0.1, signed by itself, and its key, as files. */
export interface Certificate {
  certFile: string;
  keyFile: string;
}

/** Makes a certificate with `openssl`; returns nothing where there is no such program. */
export async function createCertificate(folder: string): Promise<Certificate | undefined> {
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1"];
  const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const args = ["req", "-x509", "-days", "2", ...algorithm, ...subject];
  // A server may not present the certificate of an authority.
  args.push("-addext", "basicConstraints=critical,CA:FALSE", "-keyout", keyFile, "-out", certFile);
  try {
    const { success, stderr } = await new Deno.Command("openssl", { args }).output();
    if (!success) throw new Error(`openssl made no certificate: ${new TextDecoder().decode(stderr)}`);
    return { certFile, keyFile };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
