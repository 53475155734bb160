import { cleanAddress, isNumber } from "../data/addresses.ts";
import { words } from "../i18n/words.ts";
import type { Filter } from "./filter_bar.tsx";

/** Returns the filter of a list by phone number. */
export function numberFilter(): Filter {
  const { number, numberHelp } = words();
  return {
    kind: "text",
    name: "number",
    label: number,
    placeholder: "+34 600 111 222",
    clean: cleanAddress,
    check: (digits) => isNumber(digits) ? undefined : numberHelp,
  };
}
