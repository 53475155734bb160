/** Bytes before each message: its type, and the length of the rest with these four bytes. */
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

/**
 * Calls `onMessage` with the type of every message in a stream of the Postgres protocol, given to it in pieces of any
 * size, as soon as the message's head is there. Source: PostgreSQL documentation, "Message Formats".
 *
 * @param startsUntyped the client's first message has no type, and is not reported
 */
export function readMessageTypes(
  { startsUntyped, onMessage }: { startsUntyped: boolean; onMessage: (type: string) => void },
): (bytes: Uint8Array) => void {
  let head: number[] = [];
  let typed = !startsUntyped;
  let left = 0;

  function takeHead(byte: number): void {
    head.push(byte);
    if (head.length < LENGTH_BYTES + (typed ? TYPE_BYTES : 0)) return;
    const [a, b, c, d] = head.slice(-LENGTH_BYTES) as [number, number, number, number];
    left = (a << 24 | b << 16 | c << 8 | d) - LENGTH_BYTES;
    if (typed) onMessage(String.fromCharCode(head[0]!));
    typed = true;
    head = [];
  }

  return (bytes) => {
    for (let at = 0; at < bytes.length;) {
      const skipped = Math.min(left, bytes.length - at);
      at += skipped;
      left -= skipped;
      if (left === 0 && at < bytes.length) takeHead(bytes[at++]!);
    }
  };
}
