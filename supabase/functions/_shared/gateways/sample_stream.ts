import type { Pieces } from "./http1/byte_reader.ts";
import { EndpointError } from "./http1/endpoint_error.ts";
import type { Sample } from "./whatsapp/upload_sample.ts";

/** A response with its connection, which the caller closes. */
export interface Download {
  headers: Map<string, string>;
  /** Number of bytes; null when the server does not announce it. */
  length: number | null;
  pieces: Pieces;
  close(): void;
}

/** Streams a download that must be `length` bytes long. It reads only as fast as the stream is read. */
export function streamSample(
  download: Download,
  length: number,
): Pick<Sample, "body" | "failure" | "isWaiting"> & { close(): void } {
  let [size, isReading, isClosed] = [0, false, false];
  let failure: string | undefined;

  async function nextPiece(): Promise<Uint8Array | undefined> {
    const { value, done } = await download.pieces.next();
    size += value?.length ?? 0;
    if (size > length || done && size < length) throw new EndpointError("It changed while it was fetched");
    return done ? undefined : value!;
  }

  function close(): void {
    isClosed = true;
    download.close();
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      isReading = true;
      try {
        const piece = await nextPiece();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      } catch (error) {
        // A read that breaks because we closed the connection is no fault of the source.
        if (!isClosed) failure = reasonOf(error);
        controller.error(error);
      }
      if (!isClosed) isReading = false;
    },
    cancel: close,
  }, { highWaterMark: 0 });
  return { body, failure: () => failure, isWaiting: () => isReading, close };
}

/** Returns why a download failed, in one sentence for the person who named the file. */
export function reasonOf(error: unknown): string {
  return error instanceof EndpointError ? error.message : "The connection broke before the file had come";
}
