const DIGITS = 6;

/** Returns an amount in millionths as a decimal number, without zeros at the end: `0.0125`. */
export function formatAmount(millionths: bigint): string {
  const text = String(millionths).padStart(DIGITS + 1, "0");
  const fraction = text.slice(-DIGITS).replace(/(?<!0)0+$/, "");
  const whole = text.slice(0, -DIGITS);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Adds two amounts that `formatAmount` returned. */
export function addAmounts(a: string, b: string): string {
  return formatAmount(millionthsOf(a) + millionthsOf(b));
}

function millionthsOf(amount: string): bigint {
  const [whole, fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(DIGITS, "0"));
}
