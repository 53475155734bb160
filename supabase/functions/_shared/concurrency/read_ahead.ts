/**
 * Yields the parts of a source, and meanwhile takes up to `maxBytes` more from it than were asked for: what fits is
 * received as fast as it comes, however long the caller handles each part. An error of the source comes after the parts
 * before it.
 */
export async function* readAhead(
  parts: AsyncGenerator<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  let isOver = false;
  let failure: { error: unknown } | undefined;
  let change = Promise.withResolvers<void>();

  function changed(): void {
    change.resolve();
    change = Promise.withResolvers();
  }

  async function take(): Promise<void> {
    try {
      for await (const part of parts) {
        taken.push(part);
        bytes += part.byteLength;
        changed();
        while (bytes >= maxBytes && !isOver) await change.promise;
        if (isOver) return;
      }
    } catch (error) {
      failure = { error };
    } finally {
      isOver = true;
      changed();
    }
  }

  // Not awaited in the end: the source may itself wait for a part that does not come.
  void take();
  try {
    while (true) {
      const part = taken.shift();
      if (part !== undefined) {
        bytes -= part.byteLength;
        changed();
        yield part;
      } else if (failure) throw failure.error;
      else if (isOver) return;
      else await change.promise;
    }
  } finally {
    isOver = true;
    changed();
  }
}
