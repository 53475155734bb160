import { CommandError } from "../errors/command_error.ts";

/** Parts that together may have at most `maxBytes`, each file compressed by gzip. */
export interface WeightLimit {
  parts: string[];
  maxBytes: number;
}

/** A file of a site. */
export interface BuiltFile {
  /** Relative to the site's root. */
  url: string;
  integrity: string;
  bytes: number;
  gzip_bytes: number;
}

/** `manifest.json`: the files of a build, by name. */
export interface Manifest {
  api_url: string | null;
  files: Record<string, BuiltFile>;
}

/** Returns the number of bytes, and of bytes over the wire to a browser that takes gzip. */
export async function weigh(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Pick<BuiltFile, "bytes" | "gzip_bytes">> {
  const gzip = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return { bytes: bytes.length, gzip_bytes: (await new Response(gzip).arrayBuffer()).byteLength };
}

/** Returns the hash that a browser checks a file against (`integrity="sha384-…"`). */
export async function integrityOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-384", bytes));
  return `sha384-${digest.toBase64()}`;
}

/**
 * Refuses a build that is too large: every visitor loads it.
 *
 * @throws {CommandError} `too_heavy`
 */
export function refuseHeavy(
  files: Record<string, Pick<BuiltFile, "gzip_bytes">>,
  limits: WeightLimit[],
): void {
  for (const { parts, maxBytes } of limits) {
    const weight = weightOf(files, parts);
    if (weight > maxBytes) {
      throw new CommandError(
        "too_heavy",
        `${parts.join(" + ")} weighs ${weight} bytes (gzip), and the limit is ${maxBytes}`,
      );
    }
  }
}

function weightOf(files: Record<string, Pick<BuiltFile, "gzip_bytes">>, parts: WeightLimit["parts"]): number {
  return parts.reduce((sum, part) => sum + (files[part]?.gzip_bytes ?? 0), 0);
}
