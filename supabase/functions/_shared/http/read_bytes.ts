import { AppError } from "../errors.ts";

/** Reads a body of at most `most` bytes. Throws `payload_too_large`. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new AppError("payload_too_large", `The request body is larger than ${most / 1024 / 1024} MiB`, {
      details: { limit_bytes: most },
    });
  const length = request.headers.get("Content-Length");
  if (Number(length ?? 0) > most) throw tooLarge();
  // The server holds a client to the length it declares.
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
