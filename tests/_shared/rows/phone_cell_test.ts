import assert from "node:assert/strict";
import { readPhoneCell } from "../../../supabase/functions/_shared/rows/phone_cell.ts";

const READ: [cell: string, country: string | null, number: string][] = [
  ["34600111222", "ES", "34600111222"],
  ["600200000", "ES", "34600200000"],
  ["600 11 12 22", "ES", "34600111222"],
  ["34.600.111.222", "ES", "34600111222"],
  ["34 600-000.002", "ES", "34600000002"],
  ["+34 600 111 222", "US", "34600111222"],
  ["0034 600 111 222", null, "34600111222"],
  ["34600111222", "DE", "34600111222"],
  ["34600111222", null, "34600111222"],
  ["'+34600111222", "ES", "34600111222"],
  ["\u202a+34 600 111 222\u202c", "US", "34600111222"],
  ["34\u00a0600\u00a0111\u00a0222", "ES", "34600111222"],
  ["07911 123456", "GB", "447911123456"],
  ["7911123456", "GB", "447911123456"],
  ["447911123456", "ES", "447911123456"],
  ["06 12 34 56 78", "FR", "33612345678"],
  ["06.12.34.56.78", "FR", "33612345678"],
  ["+358 40 123 45 67", "ES", "358401234567"],
  ["(415) 555-0123", "US", "14155550123"],
  ["4155550123", "US", "14155550123"],
  ["15550100199", "US", "15550100199"],
  ["+1 (555) 010-0199", "ES", "15550100199"],
  ["011 44 7911 123456", "US", "447911123456"],
  ["0171 1234567", "DE", "491711234567"],
  ["4915112345678", "DE", "4915112345678"],
  ["49891234567", "DE", "49891234567"],
  ["34911234567", "DE", "34911234567"],
  ["442071838750", "DE", "442071838750"],
  ["34600111222", "AT", "34600111222"],
  ["34600111222", "IT", "34600111222"],
  ["14155550123", "AT", "14155550123"],
  ["911 23 45 67", "ES", "34911234567"],
  ["34911234567", "ES", "34911234567"],
  ["2125550123", "US", "12125550123"],
  ["5512345678", "MX", "525512345678"],
  ["525512345678", "MX", "525512345678"],
  ["3012345678", "DE", "493012345678"],
  ["4921871234", "DE", "494921871234"],
  ["2071838750", "GB", "442071838750"],
  ["02415290191", "GB", "442415290191"],
  ["+52 1 55 1234 5678", "MX", "5215512345678"],
  ["+55 11 91234-5678", "BR", "5511912345678"],
];

for (const [cell, country, number] of READ) {
  Deno.test(`readPhoneCell() reads ${JSON.stringify(cell)} in ${country} as ${number}`, () => {
    assert.deepEqual(readPhoneCell(cell, country), { number });
  });
}

const REFUSED: [cell: string, country: string | null, fault: string][] = [
  ["34600111222.0", "ES", "number_has_decimals"],
  ["34600111222.5", "ES", "number_has_decimals"],
  ["34600111222,00", "ES", "number_has_decimals"],
  ["34600111222.000", "ES", "number_has_decimals"],
  ["+1 (555) 010-0199.00", "US", "number_has_decimals"],
  ["3.46E+10", "ES", "number_has_decimals"],
  ["+44 (0)7911 123456", "GB", "number_has_zero_in_brackets"],
  ["34600111222-1", "ES", "number_has_extension"],
  ["34 600 111 222 (2)", "ES", "number_has_extension"],
  ["+43 1 1234567-12", "AT", "number_has_extension"],
  ["600111222 ext. 5", "ES", "number_has_extension"],
  ["600200000", null, "number_is_invalid"],
  ["60020000", "ES", "number_is_invalid"],
  ["34600111222\n34600111333", "ES", "number_is_invalid"],
  ["34600111222 / 34600111333", "ES", "number_is_invalid"],
  ["12", "ES", "number_is_invalid"],
  ["Ana", "ES", "number_is_invalid"],
  ["9".repeat(100_000), "ES", "number_is_invalid"],
  ["15123456789", "DE", "number_is_ambiguous"],
  ["2415290191", "GB", "number_is_ambiguous"],
  ["4740612345", "BR", "number_is_ambiguous"],
];

for (const [cell, country, fault] of REFUSED) {
  Deno.test(`readPhoneCell() refuses ${JSON.stringify(cell.slice(0, 40))} in ${country}: ${fault}`, () => {
    assert.deepEqual(readPhoneCell(cell, country), { fault });
  });
}
