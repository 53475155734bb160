/** A file of the widget host. */
export interface BuiltFile {
  /** Relative to the widget host's root. */
  url: string;
  integrity: string;
  bytes: number;
  gzip_bytes: number;
}

/** `manifest.json`: what a build made, by name. */
export interface Manifest {
  api_url: string | null;
  files: Record<string, BuiltFile>;
}

/** How many bytes there are, and how many go over the wire to a browser that takes gzip. */
export async function weigh(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Pick<BuiltFile, "bytes" | "gzip_bytes">> {
  const gzip = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return { bytes: bytes.length, gzip_bytes: (await new Response(gzip).arrayBuffer()).byteLength };
}
