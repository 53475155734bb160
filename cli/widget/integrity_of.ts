/** What a browser checks a file against (`integrity="sha384-…"`). */
export async function integrityOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-384", bytes));
  return `sha384-${digest.toBase64()}`;
}
