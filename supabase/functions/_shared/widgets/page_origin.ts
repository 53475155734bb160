/**
 * Returns the origin of a page as browsers write it: `https://shop.example`, with a port where it is not the usual one.
 * Undefined for any other text, such as one with a path or a wildcard.
 */
export function readOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  return isOrigin && !text.includes("*") ? url.origin : undefined;
}
