/** Width and height in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/**
 * Returns the size of an image by the beginning of its file; undefined for other types, and where the beginning does not
 * show it. A size that no screen has counts as none.
 */
export function imageSize(type: string, head: Uint8Array): ImageSize | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const size = READERS[type]?.(view);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

const READERS: Record<string, (view: DataView) => ImageSize | undefined> = {
  "image/png": (view) =>
    view.byteLength < 24 ? undefined : { width: view.getInt32(16), height: view.getInt32(20) },
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** Walks the segments up to the one of the frame. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** The three forms of the format: of one frame with loss, without, and extended. */
function webpSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 30) return undefined;
  switch (view.getUint8(15)) {
    case 0x20:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x4c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x58:
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      };
    default:
      return undefined;
  }
}
