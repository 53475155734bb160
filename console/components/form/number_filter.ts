import { cleanAddress, isNumber } from "../../data/addresses.ts";
import type { Filter } from "./filter_bar.tsx";
import { words } from "../../i18n/words.ts";

/** Returns the filter of a list by phone number. */
export function numberFilter(): Filter {
  const { number, numberHelp } = words().common;
  return {
    kind: "text",
    name: "number",
    label: number,
    placeholder: "+34 600 111 222",
    clean: cleanAddress,
    check: (digits) => isNumber(digits) ? undefined : numberHelp,
  };
}
