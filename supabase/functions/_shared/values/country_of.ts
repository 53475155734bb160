import {
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";

/** A part of the library that its types leave out. */
interface CountriesByCode {
  getCountryCodesForCallingCode(code: string): string[] | undefined;
}

/** The country of each calling code; of countries that share one, the first. */
const COUNTRIES = countriesByCode();

function countriesByCode(): Map<string, string> {
  const metadata = new Metadata() as unknown as CountriesByCode;
  const codes = [...new Set<string>(getCountries().map((country) => getCountryCallingCode(country)))];
  return new Map(codes.flatMap((code) => {
    const country = metadata.getCountryCodesForCallingCode(code)?.[0];
    return country === undefined ? [] : [[code, country] as const];
  }));
}

const MAX_CODE_LENGTH = 3;

/**
 * Returns the country by which the history counts a message, by ISO 3166-1, or an empty text for an unknown code. It is that
 * of the calling code.
 *
 * @param digits of a number, or those with which one begins (`outbound.area_of`)
 */
export function countryOfDigits(digits: string): string {
  if (digits[0] === "1") return countryOfArea(digits.slice(1, 4));
  if (digits[0] === "7") return digits[1] === "6" || digits[1] === "7" ? "KZ" : "RU";
  for (let length = 2; length <= MAX_CODE_LENGTH; length++) {
    const country = COUNTRIES.get(digits.slice(0, length));
    if (country !== undefined) return country;
  }
  return "";
}

const countriesByArea = new Map<string, string>();

/** Returns the country of an area of North America; the United States for an area that no number is known of. */
function countryOfArea(area: string): string {
  let country = countriesByArea.get(area);
  if (country === undefined) {
    country = parsePhoneNumberFromString(`+1${area}2345678`)?.country ?? "US";
    countriesByArea.set(area, country);
  }
  return country;
}
