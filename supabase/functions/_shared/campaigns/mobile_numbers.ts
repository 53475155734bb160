import { getCountries, getCountryCallingCode, Metadata } from "libphonenumber-js/max";

/** A part of the library that its types leave out. */
interface TypedPlan {
  type(name: "MOBILE" | "FIXED_LINE"): { pattern(): string | undefined } | undefined;
}

const MOBILE_NUMBER = new RegExp(`^(?:${mobileForms().join("|")})$`);

/**
 * Returns whether digits have the form of a mobile number, with its country code. Such a number is valid. A number of
 * another form may be valid too: the library knows, and takes 10 µs.
 */
export function isMobileNumber(digits: string): boolean {
  return MOBILE_NUMBER.test(digits);
}

/** Returns the form of the mobile numbers of each calling code; of countries that share one, the form of the first. */
function mobileForms(): string[] {
  const metadata = new Metadata();
  const callingCodes = new Set(getCountries().map((country) => getCountryCallingCode(country)));
  return [...callingCodes].flatMap((callingCode) => {
    // The types name countries only; a calling code stands for the first of its countries.
    metadata.selectNumberingPlan(callingCode as string as Parameters<typeof getCountryCallingCode>[0]);
    const plan = metadata.numberingPlan as unknown as TypedPlan;
    // The form of mobile numbers is left out where it is that of all others, as in the United States.
    const pattern = plan.type("MOBILE")?.pattern() || plan.type("FIXED_LINE")?.pattern();
    return pattern ? `${callingCode}(?:${pattern})` : [];
  });
}
