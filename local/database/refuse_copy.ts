import { type Frame, makeFrame } from "./frames.ts";

/**
 * Turns a COPY … FROM STDIN into a statement that fails, in the same message.
 *
 * PGlite reads the rows while the statement runs, finds none and stops for good; an error leaves it alive, and puts a
 * transaction into the state it would be in after any other error.
 */
export function refuseCopy(frame: Frame): Frame {
  if (frame.type !== "Q" && frame.type !== "P") return frame;
  const body = new TextDecoder().decode(frame.bytes.subarray(5));
  if (!COPY_IN.test(body)) return frame;
  const name = frame.type === "P" ? body.slice(0, body.indexOf("\0") + 1) : "";
  const parameterTypes = frame.type === "P" ? "\0\0" : "";
  const bytes = makeFrame(frame.type, new TextEncoder().encode(`${name}${FAIL}\0${parameterTypes}`));
  return { type: frame.type, bytes };
}

const COPY_IN = /(^|[;\0])\s*copy\s[^;']*\sfrom\s+stdin\b/i;

const FAIL = `do $$ begin raise exception using errcode = 'feature_not_supported',
  message = 'COPY FROM STDIN is not possible on the embedded database'; end $$`;
