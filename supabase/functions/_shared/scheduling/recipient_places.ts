import { getTimezonesForCountry } from "countries-and-timezones";
import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { Address } from "../values/address.ts";

/**
 * Returns the countries where a recipient may live: the number's, or every one that it may belong to; else the user
 * id's. Empty for a number of no country, such as 800 numbers.
 */
export function countriesOf({ number, user_id }: Address): string[] {
  if (number === null) return user_id ? [user_id.slice(0, 2)] : [];
  const parsed = parsePhoneNumberFromString(`+${number}`);
  if (!parsed) return [];
  return parsed.country ? [parsed.country] : parsed.getPossibleCountries();
}

const zonesByCountry = new Map<string, string[]>();

/** Returns all time zones of a country; none for a code that is no country's. */
export function zonesOfCountry(country: string): string[] {
  let zones = zonesByCountry.get(country);
  if (zones === undefined) {
    zones = (getTimezonesForCountry(country as CountryCode) ?? []).map(({ name }) => name);
    zonesByCountry.set(country, zones);
  }
  return zones;
}

/**
 * Returns the time zones a recipient may be in: all of each country. A mobile number does not show where in a country its
 * owner lives, nor whether its owner travels.
 */
export function zonesOfRecipient(recipient: Address): string[] {
  return [...new Set(countriesOf(recipient).flatMap(zonesOfCountry))];
}
