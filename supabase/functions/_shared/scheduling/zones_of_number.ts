import { getTimezonesForCountry } from "countries-and-timezones";
import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/max";

/**
 * The time zones a phone number may be in: all of its country's, and of every country it may belong to where the number
 * does not tell. That is as near as a number gets us: a mobile one says nothing of where in a country its owner lives,
 * and nothing at all when its owner travels. Empty for a number that belongs to no country, such as 800 ones.
 *
 * @param number digits with the country code
 */
export function zonesOfNumber(number: string): string[] {
  const parsed = parsePhoneNumberFromString(`+${number}`);
  if (!parsed) return [];
  const countries = parsed.country ? [parsed.country] : parsed.getPossibleCountries();
  return [...new Set(countries.flatMap(zonesOfCountry))];
}

function zonesOfCountry(country: CountryCode): string[] {
  return (getTimezonesForCountry(country) ?? []).map(({ name }) => name);
}
