import assert from "node:assert/strict";
import fc from "fast-check";
import { imageSize } from "../../../supabase/functions/_shared/media/image_size.ts";

/** Bytes of a file: a text of hexadecimal numbers, and plain texts in quotes. */
function bytes(text: string): Uint8Array {
  const parts = text.match(/'[^']*'|[0-9a-f]{2}/g)!;
  return Uint8Array.from(
    parts.flatMap((part) =>
      part.startsWith("'") ? [...part.slice(1, -1)].map((each) => each.charCodeAt(0)) : [parseInt(part, 16)]
    ),
  );
}

Deno.test("imageSize() reads the size of PNG, JPEG and WebP at the beginning of the file", () => {
  const cases: [type: string, head: string, width: number, height: number][] = [
    ["image/png", "89 'PNG' 0d0a1a0a 0000000d 'IHDR' 00000280 000001e0", 640, 480],
    ["image/jpeg", "ffd8 ffe0 0006 41424344 ffc2 0011 08 01e0 0280 03", 640, 480],
    ["image/webp", "'RIFF' 00000000 'WEBPVP8 ' 00000000 000000 9d012a 8002 e001", 640, 480],
    ["image/webp", "'RIFF' 00000000 'WEBPVP8L' 00000000 2f 7fc27700 0000000000", 640, 480],
    ["image/webp", "'RIFF' 00000000 'WEBPVP8X' 0a000000 00000000 7f0200 df0100", 640, 480],
  ];
  for (const [type, head, width, height] of cases) {
    assert.deepEqual(imageSize(type, bytes(head)), { width, height }, head);
  }
});

Deno.test("imageSize() ends for any bytes, and returns a size above 0 or none", () => {
  const types = fc.constantFrom("image/png", "image/jpeg", "image/webp", "application/pdf");
  const heads = fc.uint8Array({ maxLength: 200 });
  fc.assert(fc.property(types, heads, (type, head) => {
    for (const begun of [head, Uint8Array.from([0xff, 0xd8, 0xff, ...head])]) {
      const size = imageSize(type, begun);
      assert.ok(size === undefined || size.width > 0 && size.height > 0);
    }
  }));
});
