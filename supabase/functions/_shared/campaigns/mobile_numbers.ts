import { getCountries, getCountryCallingCode, Metadata } from "libphonenumber-js/max";

/** A part of the library that its types leave out. */
interface TypedPlan {
  type(name: "MOBILE" | "FIXED_LINE"): { pattern(): string | undefined } | undefined;
}

/** The form of the mobile numbers of each calling code, whole; made when it is first needed. */
let forms: Map<string, RegExp> | undefined;

/**
 * Returns whether digits have the form of a mobile number, with its country code. Such a number is valid. A number of
 * another form may be valid too: the library knows, and takes 10 µs.
 */
export function isMobileNumber(digits: string): boolean {
  forms ??= readForms();
  for (let length = 1; length <= 3; length++) {
    const form = forms.get(digits.slice(0, length));
    if (form !== undefined) return form.test(digits);
  }
  return false;
}

/** Of countries that share a calling code, the form of the first: the others are left to the library. */
function readForms(): Map<string, RegExp> {
  const metadata = new Metadata();
  const forms = new Map<string, RegExp>();
  for (const country of getCountries()) {
    const callingCode = getCountryCallingCode(country);
    // The types name countries only; a calling code stands for the first of its countries.
    metadata.selectNumberingPlan(callingCode as string as typeof country);
    const plan = metadata.numberingPlan as unknown as TypedPlan;
    // The form of mobile numbers is left out where it is that of all others, as in the United States.
    const pattern = plan.type("MOBILE")?.pattern() || plan.type("FIXED_LINE")?.pattern();
    if (pattern) forms.set(callingCode, new RegExp(`^${callingCode}(?:${pattern})$`));
  }
  return forms;
}
