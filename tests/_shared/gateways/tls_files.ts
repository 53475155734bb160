/** The certificate of `events.example.test`, its key, and the authority that made it. */
export async function tlsFiles(): Promise<{ cert: string; key: string; caCerts: string[] }> {
  const read = (name: string) => Deno.readTextFile(new URL(`../../fixtures/tls/${name}`, import.meta.url));
  return { cert: await read("cert.pem"), key: await read("key.pem"), caCerts: [await read("ca.pem")] };
}
