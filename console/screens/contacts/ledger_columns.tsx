import { cleanAddress } from "../../data/addresses.ts";
import type { Filter } from "../../parts/filter_bar.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { phone } from "../../words/format.ts";
import { words } from "./words.ts";

/** The columns that suppressions and consents have in common. */
export function ledgerColumns<
  Row extends { number?: string; user_id?: string; channel: string; category: string },
>(): Column<Row>[] {
  const { person, channel, channels, category, categories } = words();
  return [
    {
      name: "person",
      title: person,
      width: "176px",
      cell: ({ number, user_id }) => number ? phone(number) : user_id,
    },
    { name: "channel", title: channel, width: "136px", from: "wide", cell: (row) => channels[row.channel] },
    { name: "category", title: category, cell: (row) => categories[row.category] },
  ];
}

const NUMBER = /^[1-9]\d{6,14}$/;

/** The filters that both have. */
export function ledgerFilters(): Filter[] {
  const { number, numberHelp, channel, channels } = words();
  return [
    {
      kind: "text",
      name: "number",
      label: number,
      placeholder: "+34 600 111 222",
      clean: cleanAddress,
      check: (digits) => NUMBER.test(digits) ? undefined : numberHelp,
    },
    { kind: "choice", name: "channel", label: channel, options: Object.entries(channels) },
  ];
}
