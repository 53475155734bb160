const OF_FORMAT: Record<string, RegExp> = {
  IMAGE: /^image\/(jpeg|jpg|png)$/,
  VIDEO: /^video\/mp4$/,
  DOCUMENT: /^application\/pdf$/,
};

/** A handle for an uploaded file, in the platform's form; it tells the file's type. */
export function sampleHandle(type: string): string {
  return `4::${btoa(type)}:ARZ${crypto.randomUUID().replaceAll("-", "")}:e:1900000000:1:1:AR`;
}

/**
 * Whether a handle may stand for a header of this format: a URL never, a handle that tells its type only where the type
 * fits. Handles from elsewhere are believed.
 */
export function fitsFormat(handle: string, format: string): boolean {
  if (/^https?:/i.test(handle)) return false;
  const type = typeOf(handle);
  return type === undefined || (OF_FORMAT[format]?.test(type) ?? false);
}

function typeOf(handle: string): string | undefined {
  try {
    const type = atob(/^\d+::([\w+/=]+):/.exec(handle)?.[1] ?? "");
    return /^(image|video|application)\/\w+$/.test(type) ? type : undefined;
  } catch {
    return undefined;
  }
}
