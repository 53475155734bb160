import { decodeImage } from "../../data/decode_image.ts";

/** Four times the size that a chat shows, for fine screens. */
const SIDE = 128;

const QUALITY = 0.9;

/**
 * Returns the middle of a picture as a small square, drawn anew: nothing else of the file is in it, such as where it was
 * taken. As WebP, or as PNG where the browser writes no WebP. Rejects for a file that is no picture.
 */
export async function squarePicture(file: Blob): Promise<Blob> {
  const image = await decodeImage(file);
  const side = Math.min(image.naturalWidth, image.naturalHeight);
  const [left, top] = [(image.naturalWidth - side) / 2, (image.naturalHeight - side) / 2];
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  canvas.getContext("2d")!.drawImage(image, left, top, side, side, 0, 0, SIDE, SIDE);
  const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/webp", QUALITY));
  if (drawn === null) throw new TypeError("the browser cannot write the picture");
  return drawn;
}
