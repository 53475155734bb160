import { type CountryCode, isValidPhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";

/** The form of the numbers in a sender's country. */
interface NumberPlan {
  country: CountryCode;
  callingCode: string;
  /** Digits of the sender's number without the country code. */
  digits: number;
}

const plans = new Map<string, NumberPlan | null>();
const MAX_PLANS = 1000;

function planOf(sender: string): NumberPlan | null {
  let plan = plans.get(sender);
  if (plan === undefined) {
    const parsed = parsePhoneNumberFromString(`+${sender}`);
    plan = parsed?.country
      ? {
        country: parsed.country,
        callingCode: parsed.countryCallingCode,
        digits: parsed.nationalNumber.length,
      }
      : null;
    if (plans.size >= MAX_PLANS) plans.clear();
    plans.set(sender, plan);
  }
  return plan;
}

/** Checking the form of a number takes some 20 µs. */
const MAX_CHECKED = 10;

/**
 * Finds the numbers that are none, but would be one in the sender's country: their country code is missing. Looks at the
 * first few numbers that are as long as the sender's without its code, so most requests cost nothing.
 *
 * @param sender digits with the country code
 */
export function numbersWithoutCode(
  numbers: (string | null)[],
  sender: string,
): { position: number; callingCode: string; country: string }[] {
  const plan = planOf(sender);
  if (plan === null) return [];
  const { country, callingCode, digits } = plan;
  const candidates = numbers.flatMap((number, position) =>
    number?.length === digits ? { number, position } : []
  );
  return candidates.slice(0, MAX_CHECKED)
    .filter(({ number }) => !isValidPhoneNumber(`+${number}`) && isValidPhoneNumber(number, country))
    .map(({ position }) => ({ position, callingCode, country }));
}
