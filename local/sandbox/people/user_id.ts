import { createHash } from "node:crypto";
import parsePhoneNumber from "libphonenumber-js/max";

/**
 * The user id of a person: the country of the number, a dot, letters and digits. Like the platform's, it differs per
 * business portfolio; here every account is a portfolio. It contains the number in a masked form, so that every number
 * has an id without being stored. `renewed` counts the ids that the person had before.
 */
export function userIdOf(number: string, wabaId: string, renewed = 0): string {
  const check = hash(`${wabaId}:${number}:${renewed}`).slice(0, CHECK_LENGTH);
  const masked = BigInt(number) ^ maskOf(wabaId, check);
  return `${countryOf(number)}.${check}${masked.toString(16).toUpperCase()}`;
}

const CHECK_LENGTH = 10;
const USER_ID = /^[A-Z]{2}\.([0-9A-F]{10})([0-9A-F]{1,15})$/;

/** The number that a user id of this account would belong to; undefined for one that was not made here. */
export function maskedNumber(userId: string, wabaId: string): string | undefined {
  const [, check, masked] = USER_ID.exec(userId) ?? [];
  if (check === undefined) return undefined;
  const number = String(BigInt(`0x${masked}`) ^ maskOf(wabaId, check));
  return /^[1-9]\d{6,14}$/.test(number) ? number : undefined;
}

function maskOf(wabaId: string, check: string): bigint {
  return BigInt(`0x${hash(`mask:${wabaId}:${check}`).slice(0, 12)}`);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").toUpperCase();
}

/** The two letters of a number's country; `ZZ` for a number of none. */
function countryOf(number: string): string {
  const parsed = parsePhoneNumber(`+${number}`);
  return parsed?.country ?? parsed?.getPossibleCountries()[0] ?? "ZZ";
}
