import { UUID } from "../values/uuid.ts";

/** How a value names a file of the company's own, where it may also be a URL or an id of the platform. */
const REFERENCE = new RegExp(`^media:(${UUID})$`);

/** Returns the id of the file that a value names; undefined for any other value. */
export function mediaIdIn(value: string): string | undefined {
  return REFERENCE.exec(value)?.[1];
}
