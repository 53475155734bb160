import { decodeImage } from "../../data/decode_image.ts";

/** Twice the size that a title shows, for fine screens. */
const MAX_WIDTH = 192;
const MAX_HEIGHT = 72;

/** The API's limit, in characters of the URL. */
const MAX_LENGTH = 16_000;

/**
 * Returns a picture as a small data: URL: as PNG, or as WebP where that is too large. Rejects for a file that is no picture.
 */
export async function shrinkLogo(file: Blob): Promise<string> {
  const image = await decodeImage(file);
  // A drawing without a size of its own fills the box.
  const { naturalWidth: width = MAX_WIDTH, naturalHeight: height = MAX_HEIGHT } = image;
  const scale = Math.min(1, MAX_WIDTH / width, MAX_HEIGHT / height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = canvas.toDataURL("image/png");
  return png.length <= MAX_LENGTH ? png : canvas.toDataURL("image/webp", 0.8);
}
