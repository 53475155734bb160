import { InvalidArgumentError } from "commander";

/**
 * Collects the origins of pages: `https://shop.example`, with a port where it is not the usual one. No wildcards: the API
 * compares to the letter, while a browser would let every subdomain in.
 */
export function pageOrigin(value: string, before: string[] | undefined): string[] {
  if (value.includes("*")) {
    throw new InvalidArgumentError(
      "Wildcards are not supported: give each origin, such as https://shop.example.",
    );
  }
  const url = URL.parse(value);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!isOrigin) throw new InvalidArgumentError("Expected an origin such as https://shop.example.");
  return [...new Set([...before ?? [], url.origin])];
}
