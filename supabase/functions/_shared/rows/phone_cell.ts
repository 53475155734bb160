import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from "libphonenumber-js/max";

/** Why a cell names no person, by the code that docs/errors.md lists. */
export const NUMBER_FAULTS = {
  number_has_decimals:
    "The number has a decimal part or an exponent: format the column as text, and write all digits",
  number_has_zero_in_brackets: "Leave out the (0): after the country code it is not dialled",
  number_has_extension:
    "The last one or two digits stand apart, as an extension or a counter does: leave them out, or write the number " +
    "without separators",
  number_is_ambiguous:
    "The number is one of the default country, and a mobile number abroad: write it with + and the country code",
  number_is_invalid:
    "No phone number of the default country, nor one with a country code: write + and the country code",
} as const;

export type NumberFault = keyof typeof NUMBER_FAULTS;

/** The digits of a number with its country code, or why there is none. */
export type ReadCell = { number: string } | { fault: NumberFault };

/** A country's two letters where its numbers are known. */
export function isPhoneCountry(country: string): boolean {
  return isSupportedCountry(country);
}

/** Returns the country of a number with its country code; the first that shares the code where it shows none. */
export function phoneCountryOf(number: string): string | null {
  const parsed = parsePhoneNumberFromString(`+${number}`);
  return parsed?.country ?? parsed?.getPossibleCountries()[0] ?? null;
}

/** Returns the digits with which a country's numbers begin; undefined for what is no country with numbers. */
export function callingCodeOf(country: string): string | undefined {
  return isSupportedCountry(country) ? getCountryCallingCode(country) : undefined;
}

/**
 * Reads the number of a person in a file, as people and spreadsheets write it: the digits with the country code, or why
 * the cell is none. No number is guessed: digits that do not belong to the number would make it another person's.
 *
 * @param country of numbers that are written without a country code; null where there is none
 */
export function readPhoneCell(cell: string, country: string | null): ReadCell {
  if (cell.length > MAX_LENGTH) return { fault: "number_is_invalid" };
  const text = cell.replace(INVISIBLE, "").trim();
  if (DECIMALS.test(text)) return { fault: "number_has_decimals" };
  if (ZERO_IN_BRACKETS.test(text)) return { fault: "number_has_zero_in_brackets" };
  if (EXTENSION.test(text) || (LAST_GROUP.test(text) && !PAIRS.test(text))) {
    return { fault: "number_has_extension" };
  }
  if (!NUMBER.test(text)) return { fault: "number_is_invalid" };
  const digits = text.replace(NO_DIGITS, "");
  if (text.startsWith("+")) return possible(digits);
  if (text.startsWith("00")) return possible(digits.slice(2));
  return withCountry(digits, country);
}

const MAX_LENGTH = 60;

/** Marks of direction that come with copied contacts, and the apostrophe that spreadsheets put before text. */
const INVISIBLE = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|^\s*'/gu;
const DECIMALS = /^[^.,]*[.,](?:0+|\d{1,2})$|\dE\+?\d+$/i;
const ZERO_IN_BRACKETS = /\(\s?0\s?\)/;
const EXTENSION = /[#;x]|ext|\(\d{1,2}\)$/i;
/** One or two digits that stand apart at the end. */
const LAST_GROUP = /\d[^\d][^\d]?\d{1,2}$/;
/** Many countries write the end of a number in pairs: 06 12 34 56 78. */
const PAIRS = /[^\d]\d\d([\s.-])\d\d$/;
const NUMBER = /^\+?[\d\s().\p{Pd}/]{5,40}$/u;
const NO_DIGITS = /\D/g;

/** With its country code, a number only has to have a length that the country knows: new ranges are not known at once. */
function possible(digits: string): ReadCell {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (parsed?.isPossible()) return { number: parsed.number.slice(1) };
  return OLD_MEXICAN.test(digits) ? { number: digits } : { fault: "number_is_invalid" };
}

/** WhatsApp still knows Mexican mobile numbers with a 1 behind the country code. */
const OLD_MEXICAN = /^521\d{10}$/;

/** Without a mark, digits are a number with its country code or one of the default country, whichever is valid. */
function withCountry(digits: string, country: string | null): ReadCell {
  const abroad = parsePhoneNumberFromString(`+${digits}`);
  const home = country === null ? undefined : parsePhoneNumberFromString(digits, country as CountryCode);
  if (home?.isValid()) {
    return abroad?.isValid() ? oneOf(digits, home, abroad) : { number: home.number.slice(1) };
  }
  const isLikely = abroad?.isValid() || abroad?.getPossibleCountries().includes(country as CountryCode) ||
    OLD_MEXICAN.test(digits);
  return isLikely ? possible(digits) : { fault: "number_is_invalid" };
}

/** Landlines that are written without a country code and without the 0 before it have no more digits. */
const MAX_LANDLINE_DIGITS = 10;

/**
 * Both are valid. More digits than a landline has begin with a country code: to call them ambiguous would refuse every
 * Spanish, French or Polish number in a German file. With fewer, or with two mobile numbers, a mobile number abroad is
 * ambiguous: read as one, 1 to 5 of 100 British, Brazilian, Indian and Austrian landlines without their 0 were other people's.
 */
function oneOf(digits: string, home: PhoneNumber, withCode: PhoneNumber): ReadCell {
  const hasCode = digits.length > MAX_LANDLINE_DIGITS && !isMobile(home);
  if (hasCode || home.number === withCode.number) return { number: withCode.number.slice(1) };
  return isMobile(withCode) ? { fault: "number_is_ambiguous" } : { number: home.number.slice(1) };
}

function isMobile(number: PhoneNumber): boolean {
  return ["MOBILE", "FIXED_LINE_OR_MOBILE"].includes(number.getType() ?? "");
}
