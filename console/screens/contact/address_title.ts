import { phone } from "../../i18n/format.ts";

/** Returns an address as people read it: a number with its plus sign, a user id as it is. */
export function titleOf(address: string): string {
  return /^\d/.test(address) ? phone(address) : address;
}
