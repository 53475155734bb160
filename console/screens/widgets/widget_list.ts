import type { List } from "../../data/list.ts";
import { useRows } from "../../data/rows.ts";
import { listWidgets, type Widget } from "../../data/sdk.ts";

/** Reads widgets, newest first. */
export function useWidgets(kind: string | undefined): List<Widget> {
  return useRows(listWidgets, "widgets", ({ widget_id }) => widget_id, { query: { kind } });
}
